"""Snippets by Debian's python3-gitlab, unmodified: python_snippets.py URL TOKEN GPG_KEY"""

import sys

import gitlab

url, token, _ = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()
project = gl.projects.create({"name": "Py Snippets", "visibility": "private"})


def refused(status, work):
    """The work must be refused with this status."""
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, (error.response_code, error)
    else:
        raise AssertionError(f"not refused with {status}")


def personal():
    snippet = gl.snippets.create({"title": "Mine", "file_name": "a.py", "content": "print(1)\n", "visibility": "public"})
    assert snippet.content() == b"print(1)\n"
    snippet.title = "Still mine"
    snippet.content = "print(2)\n"
    snippet.save()
    again = gl.snippets.get(snippet.id)
    assert (again.title, again.content()) == ("Still mine", b"print(2)\n")
    assert snippet.id in [one.id for one in gl.snippets.list(get_all=True)]
    assert snippet.id in [one.id for one in gl.snippets.public(get_all=True)]
    assert again.user_agent_detail()["ip_address"]
    again.delete()
    refused(404, lambda: gl.snippets.get(snippet.id))


def of_project():
    fields = {"title": "Ours", "file_name": "a.sh", "content": "make\n", "visibility": "private", "description": "Of *this*"}
    snippet = project.snippets.create(fields)
    assert snippet.content() == b"make\n"
    assert [one.description for one in project.snippets.list(get_all=True)] == ["Of *this*"]
    note = snippet.notes.create({"body": "Why?"})
    note.body = "Why not?"
    note.save()
    assert snippet.notes.get(note.id).body == "Why not?"
    note.awardemojis.create({"name": "tada"})
    discussion = snippet.discussions.create({"body": "A question"})
    discussion.notes.create({"body": "An answer"})
    assert [len(one.attributes["notes"]) for one in snippet.discussions.list(get_all=True)] == [1, 2]
    emoji = snippet.awardemojis.create({"name": "thumbsup"})
    assert [one.name for one in snippet.awardemojis.list(get_all=True)] == ["thumbsup"]
    emoji.delete()
    assert project.events.list(action="commented", get_all=True)[0].note["noteable_type"] == "Snippet"
    assert [one["id"] for one in gl.search("snippet_titles", "Ours", get_all=True)] == [snippet.id]
    refused(400, lambda: project.snippets.create({**fields, "title": " "}))
    refused(400, lambda: project.snippets.create({**fields, "visibility": "secret"}))
    snippet.delete()
    refused(404, lambda: project.snippets.get(snippet.id))


personal()
of_project()
project.delete()
print("all is well")
