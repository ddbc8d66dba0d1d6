"""Webhooks and integrations by Debian's python3-gitlab, unmodified: python_hooks.py URL TOKEN GPG_KEY"""

import sys

import gitlab

url, token, _ = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()
group = gl.groups.create({"name": "Py Hooks", "path": "py-hooks"})
project = gl.projects.create({"name": "Py Hooks", "namespace_id": group.id})
target = "https://93.184.216.34/hook"


def refused(status, work):
    """The work must be refused with this status."""
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, (error.response_code, error)
    else:
        raise AssertionError(f"not refused with {status}")


def of_projects_and_groups():
    for place in project, group:
        hook = place.hooks.create({"url": target, "tag_push_events": True, "token": "hush"})
        assert (hook.url, hook.tag_push_events, hook.push_events) == (target, True, True)
        hook.url = f"{target}/2"
        hook.note_events = True
        hook.save()
        again = place.hooks.get(hook.id)
        assert (again.url, again.note_events) == (f"{target}/2", True)
        assert [one.id for one in place.hooks.list()] == [hook.id]
        again.delete()
        refused(404, lambda: place.hooks.get(hook.id))
    refused(422, lambda: project.hooks.create({"url": "http://127.0.0.1/"}))


def of_the_instance():
    hook = gl.hooks.create({"url": target})
    assert hook.id in [one.id for one in gl.hooks.list()]
    assert gl.hooks.get(hook.id).url == target
    hook.delete()


def integrations():
    for manager in project.integrations, project.services:
        manager.update("mattermost", {"webhook": f"{target}/secret", "push_events": False})
        shown = manager.get("mattermost")
        assert (shown.active, shown.push_events) == (True, False)
        assert "secret" not in str(shown.attributes)
        assert [one.slug for one in manager.list()] == ["mattermost"]
        shown.delete()
        assert manager.list() == []
    refused(400, lambda: project.integrations.update("mattermost", {}))
    refused(404, lambda: project.integrations.get("carrier-pigeon"))


def mirrors():
    mirror = project.remote_mirrors.create({"url": "https://me:secret@93.184.216.34/a.git"})
    assert "secret" not in str(mirror.attributes)
    mirror.only_protected_branches = True
    mirror.save()
    assert [one.only_protected_branches for one in project.remote_mirrors.list()] == [True]


of_projects_and_groups()
of_the_instance()
integrations()
mirrors()
print("all is well")
