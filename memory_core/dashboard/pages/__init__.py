"""The pages of the dashboard, one module for each group of pages.

A page calls functions of the wings and returns a template with values.
"""
# How to add a page:
#
# 1. A function in pages/GROUP.py:  def show_thing(visit: Visit) -> View | Done
#    `visit` has the project (opened for this request), its numbers, and the strings of the path,
#    of the query and of the form.  Look up names of agents, items and tasks in the list of the
#    existing ones; never join them to a path.  Raise NotFound("no agent 'x'") for a 404.
#    Errors of the wings (with `.status`), OSError and LockTimeout become a message by themselves.
# 2. A row in site.PAGES; paths are below /dashboard:
#      Page("/things", group.show_thing, "Things", "t"),       # in the navigation, key g then t
#      Page("/things/{thing}", group.show_one),                # not in the navigation
#      Page("/things/{thing}/remove", group.remove, method="POST"),
# 3. A template in templates/, which extends "base.html" and fills the blocks `title` and `main`.
#    In a template:
#      link("things", name, since="7d")   -> "/dashboard/things/NAME?since=7d", quoted
#      {{ form_token() }}                 -> the hidden field that every form of method POST needs
#      value|size, |age, |moment, |share ...   see rendering.FILTERS
#      <section id="x" data-live>         refreshed by itself when something happens (needs an id)
#      data-row on a row, data-key="a" on a button or link in it: keys j and k move between rows,
#      the key "a" clicks the button of the current row; outside of rows, of the page.
#    No style attributes, no inline scripts: the browser refuses them.
# 4. A POST returns Done("/dashboard/things", "Removed: ..."): a redirect to a page that shows the
#    message.
