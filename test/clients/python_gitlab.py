"""Users, groups, projects, members and settings by Debian's python3-gitlab, unmodified: python_gitlab.py URL TOKEN"""

import datetime
import sys

import gitlab

url, token = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()


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
    made = ada.impersonationtokens.create({"name": "script", "scopes": ["api"]})
    as_ada = gitlab.Gitlab(url, private_token=made.token, keep_base_url=True)
    as_ada.auth()
    assert as_ada.user.username == "py-ada"
    as_ada.user.status.get()
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
    member.save()
    assert top.members.get(ada.id).access_level == 40
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
    other.delete()
    whole.delete()
    return project


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
    assert gl.version()[0].startswith("11.3")
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
settings()
small_things()
project.delete()
top.delete()
ada.delete()
print("all is well")
