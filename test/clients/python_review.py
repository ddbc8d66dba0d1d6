"""Merge requests and all around them by Debian's python3-gitlab, unmodified: python_review.py URL TOKEN GPG_KEY"""

import sys

import gitlab

url, token, _ = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()


def refused(statuses, work):
    """The work must be refused with one of these statuses."""
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code in statuses, (error.response_code, error)
    else:
        raise AssertionError(f"not refused with {statuses}")


user = gl.users.create({"email": "py-reviewer@py.example.com", "username": "py-reviewer", "name": "Py", "password": "a long password", "skip_confirmation": True})
as_reviewer = gitlab.Gitlab(url, private_token=user.impersonationtokens.create({"name": "script", "scopes": ["api"]}).token, keep_base_url=True)
group = gl.groups.create({"name": "Py Review", "path": "py-review", "visibility": "private"})
project = gl.projects.create({"name": "Py Review", "namespace_id": group.id, "initialize_with_readme": True})
project.members.create({"user_id": user.id, "access_level": 30})
main = project.default_branch or "main"


def branch(name, content):
    start = {} if project.branches.list(search=f"^{name}$") else {"start_branch": main}
    action = {"action": "create", "file_path": f"{name}.txt", "content": content}
    return project.commits.create({"branch": name, "commit_message": f"Change {name}", "actions": [action], **start})


def create():
    branch("topic", "one\ntwo\nthree\n")
    issue = project.issues.create({"title": "To be closed"})
    made = project.mergerequests.create(
        {"source_branch": "topic", "target_branch": main, "title": "Draft: Change it", "description": f"Closes #{issue.iid}", "labels": "bug", "assignee_id": user.id, "reviewer_ids": [user.id]}
    )
    assert made.iid == 1 and made.state == "opened" and made.draft and made.labels == ["bug"], made
    refused([409], lambda: project.mergerequests.create({"source_branch": "topic", "target_branch": main, "title": "Again"}))
    refused([400], lambda: project.mergerequests.create({"source_branch": "nowhere", "target_branch": main, "title": "None"}))
    refused([422], lambda: project.mergerequests.create({"source_branch": main, "target_branch": main, "title": "Same"}))
    made.title = "Change it"
    made.squash = True
    made.save()
    made = project.mergerequests.get(1)
    assert made.title == "Change it" and made.squash and not made.draft
    made.state_event = "close"
    made.save()
    assert made.state == "closed"
    made.state_event = "reopen"
    made.save()
    assert made.state == "opened"
    return project.mergerequests.get(1)


def lists(made):
    assert [one.iid for one in project.mergerequests.list(state="opened", labels=["bug"], get_all=True)] == [1]
    assert [one.iid for one in group.mergerequests.list(scope="all", get_all=True)] == [1]
    assert [one.iid for one in as_reviewer.mergerequests.list(scope="assigned_to_me", get_all=True)] == [1]
    assert [one.iid for one in project.mergerequests.list(source_branch="topic", get_all=True)] == [1]
    assert project.mergerequests.list(search="nowhere", get_all=True) == []
    assert [one.title for one in made.commits()] == ["Change topic"]
    assert [one["new_path"] for one in made.changes()["changes"]] == ["topic.txt"]
    assert [one.iid for one in made.closes_issues()] == [1]
    assert "py-reviewer" in [one["username"] for one in made.participants()]
    assert made.pipelines.list(get_all=True) == []
    (version,) = made.diffs.list(get_all=True)
    assert made.diffs.get(version.id).diffs[0]["new_path"] == "topic.txt"
    assert [one["iid"] for one in project.commits.get(made.sha).merge_requests()] == [1]
    assert project.issues.get(1).closed_by()[0]["iid"] == 1


def discuss(made):
    mine = as_reviewer.projects.get(project.id).mergerequests.get(1)
    note = mine.notes.create({"body": "Words"})
    note.body = "Other words"
    note.save()
    assert made.notes.get(note.id).body == "Other words"
    position = {**made.diff_refs, "position_type": "text", "old_path": "topic.txt", "new_path": "topic.txt", "new_line": 2}
    discussion = mine.discussions.create({"body": "Why two?", "position": position})
    first = discussion.attributes["notes"][0]
    assert first["type"] == "DiffNote" and first["position"]["new_line"] == 2 and not first["resolved"], first
    made.discussions.get(discussion.id).notes.create({"body": "Because"})
    refused([400], lambda: mine.discussions.create({"body": "Nowhere", "position": {**position, "new_line": 99}}))
    discussion.resolved = True
    discussion.save()
    assert all(one["resolved"] for one in made.discussions.get(discussion.id).attributes["notes"])
    made.awardemojis.create({"name": "thumbsup"})
    assert project.mergerequests.get(1).upvotes == 1
    made.todo()
    assert made.iid in [one.target["iid"] for one in gl.todos.list(get_all=True) if one.target_type == "MergeRequest"]
    made.unsubscribe()
    made.subscribe()
    made.time_estimate("1h")
    assert made.add_spent_time("30m")["total_time_spent"] == 1800
    assert [one.label["name"] for one in made.resourcelabelevents.list(get_all=True)] == ["bug"]
    assert [one.state for one in made.resourcestateevents.list(get_all=True)] == ["closed", "reopened"]


def approve_and_merge(made):
    mine = as_reviewer.projects.get(project.id).mergerequests.get(1)
    mine.approve()
    assert [one["user"]["username"] for one in made.approvals.get().approved_by] == ["py-reviewer"]
    mine.unapprove()
    assert made.approvals.get().approved_by == []
    refused([409], lambda: made.merge(sha="1" * 40))
    refused([401, 403], lambda: mine.merge())
    done = made.merge(should_remove_source_branch=True, merge_commit_message="Merged by a script")
    assert done["state"] == "merged" and done["merged_by"]["username"] == "root", done
    assert project.issues.get(1).state == "closed"
    refused([404], lambda: project.branches.get("topic"))
    refused([405], made.merge)
    branch("second", "x\n")
    second = project.mergerequests.create({"source_branch": "second", "target_branch": main, "title": "Second"})
    assert second.rebase() is not None
    second.delete()
    refused([404], lambda: project.mergerequests.get(second.iid))


def on_commit():
    head = project.commits.get(main)
    talk = head.discussions.create({"body": "Why?"})
    reply = head.discussions.get(talk.id).notes.create({"body": "Because"})
    reply.body = "Because of it"
    reply.save()
    head.comments.create({"note": "Words"})
    assert [one.note for one in head.comments.list(get_all=True)] == ["Why?", "Because of it", "Words"]
    assert len(head.discussions.list(get_all=True)) == 2
    refused([404], lambda: head.discussions.get("0" * 40))


request = create()
lists(request)
discuss(request)
approve_and_merge(request)
on_commit()
print("all is well")
