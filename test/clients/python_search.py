"""Searches by Debian's python3-gitlab, unmodified: python_search.py URL TOKEN GPG_KEY"""

import sys
import time

import gitlab

url, token, _ = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()

group = gl.groups.create({"name": "Py Search", "path": "py-search", "visibility": "private"})
project = gl.projects.create({"name": "Py marsupial", "namespace_id": group.id, "initialize_with_readme": True})
main = project.default_branch or "main"
action = {"action": "create", "file_path": "src/potoroo.py", "content": "one\nPotoroo = 2\n"}
project.commits.create({"branch": main, "commit_message": "Add the potoroo", "actions": [action]})
issue = project.issues.create({"title": "Feed the potoroo"})
issue.notes.create({"body": "A potoroo eats"})
project.milestones.create({"title": "Potoroo day"})
project.wikis.create({"title": "Care", "content": "Of a potoroo\n"})
gl.snippets.create({"title": "Potoroo song", "file_name": "song.txt", "content": "potoroo", "visibility": "private"})


def titles(rows, name="title"):
    return [row[name] for row in rows]


assert titles(project.search("issues", "potoroo")) == ["Feed the potoroo"]
assert titles(project.search("milestones", "potoroo")) == ["Potoroo day"]
assert titles(project.search("notes", "potoroo"), "body") == ["A potoroo eats"]
assert titles(project.search("wiki_blobs", "potoroo"), "filename") == ["Care.md"]
assert titles(project.search("commits", "potoroo")) == ["Add the potoroo"]
hits = project.search("blobs", "potoroo", ref=main)
assert [(hit["path"], hit["startline"], hit["data"]) for hit in hits] == [("src/potoroo.py", 1, "one\nPotoroo = 2\n")], hits
assert project.search("blobs", "potoroo extension:js") == []
assert titles(group.search("projects", "py marsupial"), "name") == ["Py marsupial"]
assert titles(group.search("issues", "potoroo")) == ["Feed the potoroo"]
assert titles(gl.search("issues", "potoroo")) == ["Feed the potoroo"]
assert titles(gl.search("snippet_titles", "potoroo")) == ["Potoroo song"]
assert titles(gl.search("users", "root"), "username") == ["root"]
# The index of code reads pushes in the background.
for _ in range(300):
    if gl.search("blobs", "potoroo"):
        break
    time.sleep(0.1)
assert titles(gl.search("blobs", "potoroo"), "path") == ["src/potoroo.py"]
assert gl.search("issues", "") == []
assert len(list(gl.search("issues", "potoroo", iterator=True, per_page=1))) == 1
for scope in ("notes", "nothing"):
    try:
        gl.search(scope, "potoroo")
    except gitlab.exceptions.GitlabSearchError as error:
        assert error.response_code == 400, error
    else:
        raise AssertionError(f"the scope {scope} was not refused")
print("all is well")
