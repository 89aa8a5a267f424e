"""The dashboard: memories of a project in a browser, served on this machine only.

server     the socket, and how the server ends
security   who may ask for what, and the headers of every response
site       the table of pages; requests become visits of pages, and their results responses
page       what a page receives and returns, and what several pages use
rendering  templates, and the numbers of their charts
pages      the pages
"""
