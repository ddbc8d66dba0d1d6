"""Issues and all around them by Debian's python3-gitlab, unmodified: python_planning.py URL TOKEN GPG_KEY"""

import sys

import gitlab

url, token, _ = sys.argv[1:]
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


def person(name):
    """A user, and a client that acts as them."""
    user = gl.users.create({"email": f"{name}@py.example.com", "username": name, "name": name, "password": "a long password", "skip_confirmation": True})
    made = user.impersonationtokens.create({"name": "script", "scopes": ["api"]})
    return user, gitlab.Gitlab(url, private_token=made.token, keep_base_url=True)


ada, as_ada = person("py-planner")
group = gl.groups.create({"name": "Py Plans", "path": "py-plans", "visibility": "private"})
project = gl.projects.create({"name": "Py Plan", "namespace_id": group.id})
project.members.create({"user_id": ada.id, "access_level": 30})


def labels():
    label = project.labels.create({"name": "bug", "color": "#ff0000", "priority": 1})
    assert label.name == "bug"
    label.description = "Broken"
    label.save()
    assert project.labels.get("bug").description == "Broken"
    label.subscribe()
    label.unsubscribe()
    above = group.labels.create({"name": "above", "color": "#00ff00"})
    assert [one.name for one in project.labels.list(get_all=True)] == ["above", "bug"]
    above.color = "#0000ff"
    above.save()
    assert group.labels.get(above.id).color == "#0000ff"
    refused(409, lambda: project.labels.create({"name": "bug", "color": "#ff0000"}))
    return label


def milestones():
    milestone = project.milestones.create({"title": "v1", "due_date": "2030-01-02"})
    milestone.description = "The first"
    milestone.save()
    assert project.milestones.get(milestone.id).description == "The first"
    assert [one.title for one in project.milestones.list(search="v1", get_all=True)] == ["v1"]
    far = group.milestones.create({"title": "Far"})
    far.state_event = "close"
    far.save()
    assert group.milestones.list(state="closed", get_all=True)[0].title == "Far"
    return milestone


def issues(milestone):
    first = project.issues.create({"title": "First", "labels": "bug,made here", "milestone_id": milestone.id, "description": "For @py-planner"})
    assert first.labels == ["bug", "made here"] and first.milestone["title"] == "v1"
    second = as_ada.projects.get(project.id).issues.create({"title": "Second", "confidential": True, "assignee_ids": [ada.id]})
    assert second.iid == 2 and second.assignee["username"] == "py-planner"
    first.title = "The first"
    first.due_date = "2030-02-03"
    first.save()
    assert project.issues.get(first.iid).due_date == "2030-02-03"
    first.state_event = "close"
    first.save()
    assert first.state == "closed" and first.attributes["closed_by"]["username"] == "root"
    first.state_event = "reopen"
    first.save()
    assert [one.iid for one in project.issues.list(labels=["bug"], state="opened", get_all=True)] == [1]
    assert [one.iid for one in group.issues.list(scope="all", search="second", get_all=True)] == [2]
    assert [one.iid for one in as_ada.issues.list(scope="assigned_to_me", get_all=True)] == [2]
    assert [one.iid for one in project.issues.list(milestone="v1", get_all=True)] == [1]
    assert [one.iid for one in milestone.issues()] == [1]
    assert gl.issues_statistics.get(scope="all").statistics["counts"]["opened"] >= 2
    assert project.issues_statistics.get().statistics["counts"]["all"] == 2
    first.time_estimate("1w 2d 3h 4m")
    assert first.add_spent_time("1h 30m")["human_total_time_spent"] == "1h 30m"
    first.add_spent_time("-30m")
    assert project.issues.get(first.iid).time_stats()["total_time_spent"] == 3600
    first.reset_spent_time()
    first.reset_time_estimate()
    first.unsubscribe()
    refused(304, first.unsubscribe)
    first.subscribe()
    assert [one["username"] for one in second.participants()] == ["py-planner"]
    assert first.closed_by() == [] and first.related_merge_requests() == []
    assert first.user_agent_detail()["ip_address"]
    link, _ = first.links.create({"target_project_id": project.id, "target_issue_iid": second.iid})
    assert [one.iid for one in first.links.list()] == [2]
    first.links.delete(first.links.list()[0].issue_link_id)
    refused(404, lambda: project.issues.get(99))
    refused(400, lambda: project.issues.create({"title": ""}))
    return first, second


def notes(first):
    note = first.notes.create({"body": "What about @py-planner?"})
    note.body = "Asking @py-planner"
    note.save()
    assert first.notes.get(note.id).body == "Asking @py-planner"
    assert note.id in [one.id for one in first.notes.list(get_all=True)]
    discussion = first.discussions.create({"body": "Let us talk"})
    reply = discussion.notes.create({"body": "Yes"})
    reply.body = "Yes indeed"
    reply.save()
    assert [one["body"] for one in first.discussions.get(discussion.id).attributes["notes"]] == ["Let us talk", "Yes indeed"]
    reply.delete()
    award = first.awardemojis.create({"name": "thumbsup"})
    assert [one.name for one in first.awardemojis.list(get_all=True)] == ["thumbsup"]
    assert project.issues.get(first.iid).upvotes == 1
    refused(404, lambda: first.awardemojis.create({"name": "no_such_emoji"}))
    award.delete()
    on_note = note.awardemojis.create({"name": "tada"})
    on_note.delete()
    first.notes.create({"body": "/label ~bug\n/estimate 2h\n/title By a note"})
    again = project.issues.get(first.iid)
    assert again.title == "By a note" and again.time_stats()["time_estimate"] == 7200
    note.delete()


def boards(label):
    board = project.boards.create({"name": "Plan"})
    column = board.lists.create({"label_id": label.id})
    assert [one.label["name"] for one in board.lists.list(get_all=True)] == ["bug"]
    above = board.lists.create({"label_id": group.labels.list(get_all=True)[0].id})
    above.position = 0
    above.save()
    assert board.lists.get(above.id).position == 0
    column.delete()
    board.name = "Plans"
    board.save()
    assert project.boards.get(board.id).name == "Plans"
    board.delete()
    of_group = group.boards.create({"name": "All"})
    assert group.boards.get(of_group.id).name == "All"
    of_group.delete()


def todos(first, second):
    as_ada.auth()
    mine = {(one.action_name, one.target["iid"]) for one in as_ada.todos.list(get_all=True)}
    assert mine == {("mentioned", 1), ("assigned", 2)}, mine
    todo = [one for one in as_ada.todos.list(get_all=True) if one.action_name == "assigned"][0]
    todo.mark_as_done()
    assert todo.id in [one.id for one in as_ada.todos.list(state="done", get_all=True)]
    second = as_ada.projects.get(project.id).issues.get(second.iid)
    second.todo()
    refused(304, second.todo)
    assert ("marked", 2) in {(one.action_name, one.target["iid"]) for one in as_ada.todos.list(get_all=True)}
    as_ada.todos.mark_all_as_done()
    assert as_ada.todos.list(get_all=True) == []


def events(first):
    assert [one.action for one in first.resourcelabelevents.list(get_all=True)][:2] == ["add", "add"]
    assert [one.action for one in first.resourcemilestoneevents.list(get_all=True)] == ["add"]
    assert [one.state for one in first.resourcestateevents.list(get_all=True)] == ["closed", "reopened"]
    of_project = project.events.list(get_all=True)
    assert {"created", "joined", "opened", "closed", "commented on"} <= {one.action_name for one in of_project}
    assert [one.target_title for one in ada.events.list(target_type="issue", get_all=True)] == ["Second"]
    assert all(one.author_username == "root" for one in gl.events.list(action="closed", get_all=True))
    assert gl.events.list(after="2999-01-01", get_all=True) == []
    refused(400, lambda: gl.events.list(before="2018-13-40", get_all=True))


bug = labels()
first_milestone = milestones()
one, two = issues(first_milestone)
notes(one)
boards(bug)
todos(one, two)
events(one)
other = gl.projects.create({"name": "Py Elsewhere"})
project.issues.get(two.iid).move(other.id)
assert other.issues.list(get_all=True)[0].title == "Second"
one.delete()
refused(404, lambda: project.issues.get(1))
first_milestone.delete()
other.delete()
project.delete()
group.delete()
ada.delete()
print("all is well")
