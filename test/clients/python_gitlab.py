"""Users, groups, projects, members and settings by Debian's python3-gitlab, unmodified: python_gitlab.py URL TOKEN GPG_KEY"""

import base64
import datetime
import http.server
import sys
import threading
import time

import gitlab

url, token, gpg_key = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()
picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")


def until(done):
    """Waits for what the server does in the background."""
    for _ in range(300):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("it has not come to its end in half a minute")


def refused(status, work):
    """The work must be refused with this status."""
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, (error.response_code, error)
    else:
        raise AssertionError(f"not refused with {status}")


def users():
    ada = gl.users.create({"email": "ada@py.example.com", "username": "py-ada", "name": "Ada", "password": "a long password", "skip_confirmation": True})
    assert gl.users.list(username="py-ada")[0].id == ada.id
    assert [user.id for user in gl.users.list(search="ada@py.example.com")] == [ada.id]
    refused(409, lambda: gl.users.create({"email": "x@py.example.com", "username": "PY-ADA", "name": "X", "password": "a long password"}))
    ada.bio = "Programs"
    ada.save()
    assert gl.users.get(ada.id).bio == "Programs"
    ada.block()
    assert gl.users.get(ada.id).state == "blocked"
    ada.unblock()
    assert gl.users.get(ada.id).state == "active"
    ada.customattributes.set("team", "engines")
    assert [user.username for user in gl.users.list(custom_attributes={"team": "engines"})] == ["py-ada"]
    email = ada.emails.create({"email": "ada2@py.example.com", "skip_confirmation": True})
    assert [one.email for one in ada.emails.list()] == ["ada2@py.example.com"]
    email.delete()
    ada.avatar = picture
    ada.save()
    assert gl.users.get(ada.id).avatar_url.endswith("/avatar.png")
    key = gl.user.gpgkeys.create({"key": gpg_key})
    assert [one.key for one in gl.user.gpgkeys.list()] == [gpg_key]
    refused(400, lambda: ada.gpgkeys.create({"key": gpg_key}))
    key.delete()
    assert ada.gpgkeys.create({"key": gpg_key}).key == gpg_key
    assert ada.projects.list() == []
    made = ada.impersonationtokens.create({"name": "script", "scopes": ["api"]})
    as_ada = gitlab.Gitlab(url, private_token=made.token, keep_base_url=True)
    as_ada.auth()
    assert as_ada.user.username == "py-ada"
    as_ada.user.status.get()
    assert "py-ada" in [one.username for one in gl.user_activities.list(get_all=True)]
    made.delete()
    refused(401, as_ada.auth)
    return ada


def groups(ada):
    top = gl.groups.create({"name": "Py Top", "path": "py-top", "visibility": "public"})
    low = gl.groups.create({"name": "Low", "path": "low", "parent_id": top.id})
    assert [one.full_path for one in top.subgroups.list()] == ["py-top/low"]
    low.description = "Below"
    low.save()
    assert gl.groups.get("py-top/low").description == "Below"
    soon = (datetime.date.today() + datetime.timedelta(days=9)).isoformat()
    member = top.members.create({"user_id": ada.id, "access_level": gitlab.const.DEVELOPER_ACCESS, "expires_at": soon})
    assert member.expires_at == soon
    refused(409, lambda: top.members.create({"user_id": ada.id, "access_level": 10}))
    assert ada.id in [one.id for one in low.members_all.list(get_all=True)]
    member.access_level = gitlab.const.MAINTAINER_ACCESS
    member.expires_at = None
    member.save()
    changed = top.members.get(ada.id)
    assert (changed.access_level, changed.expires_at) == (40, None)
    assert [one.id for one in top.members.list(query="ada@py.example.com")] == [ada.id]
    low.avatar = picture
    low.save()
    assert gl.groups.get(low.id).avatar_url.endswith("/avatar.png")
    low.customattributes.set("team", "engines")
    assert [one.key for one in low.customattributes.list()] == ["team"]
    refused(403, lambda: top.members.delete(gl.user.id))
    return top, low


def projects(ada, top):
    project = gl.projects.create({"name": "Py Engine", "namespace_id": top.id, "visibility": "public", "issues_enabled": False})
    project.files.create({"file_path": "README.md", "branch": "main", "content": "# Engine\n", "commit_message": "First"})
    assert [one.id for one in gl.projects.list(search="py engine")] == [project.id]
    project.description = "Runs"
    project.save()
    assert gl.projects.get("py-top/py-engine").description == "Runs"
    project.star()
    assert gl.projects.list(starred=True)[0].star_count == 1
    project.unstar()
    fork = project.forks.create({})
    whole = gl.projects.get(fork.id)
    assert whole.forked_from_project["id"] == project.id
    assert [one.id for one in project.forks.list()] == [fork.id]
    project.archive()
    assert gl.projects.get(project.id).archived
    project.unarchive()
    uploaded = project.upload("notes.txt", filedata="some notes")
    assert "notes.txt" in uploaded["markdown"]
    other = gl.groups.create({"name": "Py Other", "path": "py-other"})
    project.share(other.id, gitlab.const.REPORTER_ACCESS)
    assert gl.projects.get(project.id).shared_with_groups[0]["group_id"] == other.id
    project.unshare(other.id)
    project.members.create({"user_id": ada.id, "access_level": 40})
    assert "py-ada" in [one.username for one in project.users.list()]
    assert project.languages() is not None
    project.badges.create({"link_url": "https://example.com/%{project_path}", "image_url": "https://example.com/badge.png"})
    assert project.badges.list()[0].rendered_link_url == "https://example.com/py-top/py-engine"
    refused(400, lambda: gl.projects.create({"name": "x", "path": "a..b"}))
    other.transfer_project(project.id)
    assert gl.projects.get(project.id).path_with_namespace == "py-other/py-engine"
    project.transfer(top.full_path)
    assert gl.projects.get(project.id).path_with_namespace == "py-top/py-engine"
    other.delete()
    whole.delete()
    return project


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes archives that are sent on."""

    received = []

    def do_PUT(self):
        self.received.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Nobody reads it."""


def archives(project):
    project.exports.create({})
    until(lambda: project.exports.get().export_status == "finished")
    assert project.exports.get().download().startswith(b"\x1f\x8b")
    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    current = gl.settings.get()
    current.allow_local_requests_from_hooks_and_services = True
    current.save()
    project.exports.create({"upload": {"url": f"http://127.0.0.1:{server.server_port}/engine.tar.gz"}})
    until(lambda: Receiver.received)
    until(lambda: project.exports.get().export_status == "none")
    current.allow_local_requests_from_hooks_and_services = False
    current.save()
    server.shutdown()
    made = gl.projects.import_project(Receiver.received[0], path="py-again", override_params={"description": "Woven again"})
    again = gl.projects.get(made["id"])
    until(lambda: again.imports.get().import_status == "finished")
    again = gl.projects.get(again.id)
    assert again.description == "Woven again"
    assert again.files.get("README.md", "main").decode() == b"# Engine\n"
    again.delete()


def settings():
    current = gl.settings.get()
    assert current.default_projects_limit == 100000
    current.default_project_visibility = "internal"
    current.save()
    assert gl.settings.get().default_project_visibility == "internal"
    assert gl.projects.create({"name": "py-default"}).visibility == "internal"
    current.default_project_visibility = "private"
    current.save()


def small_things():
    assert gl.version()[0] in ("17.11.0", "11.3.14")
    assert "<strong>" in gl.markdown("**bold**")
    assert "py-top" in [one.full_path for one in gl.namespaces.list(search="py-top")]
    message = gl.broadcastmessages.create({"message": "Down at six"})
    assert gl.broadcastmessages.get(message.id).message == "Down at six"
    message.delete()
    assert "mit" in [one.key for one in gl.licenses.list(get_all=True)]
    assert gl.gitignores.list()


ada = users()
top, low = groups(ada)
project = projects(ada, top)
archives(project)
settings()
small_things()
project.delete()
top.delete()
ada.delete()
print("all is well")
