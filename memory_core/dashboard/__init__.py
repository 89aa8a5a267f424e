"""The dashboard: memories of a project in a browser, served on this machine only.

server     the app, its socket, and how it ends
security   who may ask for what, and the headers of every response
site       requests become visits of pages, and what pages return becomes responses
live       server-sent events, after which pages refresh themselves
page       what a page receives and returns
rendering  templates, with the numbers of their charts from charts
routes     the table of pages
pages      the pages
"""
