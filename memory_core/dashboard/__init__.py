"""The dashboard: memories of a project in a browser, served on this machine only.

server     the app, and the sockets it listens on
security   who may ask for what, and the headers of every response
live       server-sent events, so that pages refresh themselves
page       what a page receives and returns
rendering  templates
routes     the table of pages
pages      the pages
"""
