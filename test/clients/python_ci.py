"""CI by Debian's python3-gitlab, unmodified: python_ci.py URL TOKEN GPG_KEY"""

import io
import sys
import time
import zipfile

import gitlab

url, token, _ = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token, keep_base_url=True)
gl.auth()
project = gl.projects.create({"name": "Py CI", "visibility": "private"})
config = """
build:
  script: [make]
  artifacts: {paths: [out.txt]}
  environment: {name: review/main, url: 'https://review.example.com'}
hand: {stage: deploy, script: [make deploy], when: manual}
"""
project.files.create({"file_path": ".gitlab-ci.yml", "branch": "main", "content": config, "commit_message": "Add the CI file"})


def archive():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("out.txt", "made")
    return content.getvalue()


def run_next(runner_token, state="success"):
    """Takes a job as an agent does, prints, sends artifacts and ends it; its id."""
    for _ in range(500):
        answer = gl.http_post("/jobs/request", post_data={"token": runner_token})
        if getattr(answer, "status_code", 201) != 204:
            break
        time.sleep(0.02)
    job = answer if isinstance(answer, dict) else answer.json()
    at = f"{url}/api/v4/jobs/{job['id']}"
    headers = {"JOB-TOKEN": job["token"], "Content-Range": "0-4"}
    assert gl.session.patch(f"{at}/trace", data=b"hello", headers=headers).status_code == 202
    sent = gl.session.post(f"{at}/artifacts", files={"file": ("artifacts.zip", archive())}, headers={"JOB-TOKEN": job["token"]})
    assert sent.status_code == 201, sent.text
    assert gl.session.put(at, json={"token": job["token"], "state": state}).status_code == 200
    return job["id"]


def until(ask):
    """Waits for what the server does in the background; what was found then."""
    for _ in range(500):
        found = ask()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it is not there after half a minute")


def variables():
    variable = project.variables.create({"key": "PLACE", "value": "here", "environment_scope": "review/*"})
    variable.value = "there"
    variable.save(filter={"environment_scope": "review/*"})
    assert project.variables.get("PLACE").value == "there"
    group = gl.groups.create({"name": "Py CI group", "path": "py-ci"})
    group.variables.create({"key": "SHARED", "value": "all", "masked": False})
    assert [one.key for one in group.variables.list(get_all=True)] == ["SHARED"]
    gl.variables.create({"key": "OF_ALL", "value": "1"})
    gl.variables.delete("OF_ALL")
    group.delete()


def runners():
    made = gl.runners.create({"token": project.runners_token, "description": "py", "tag_list": "fast"})
    runner = gl.runners.get(made.id)
    runner.description = "renamed"
    runner.run_untagged = True
    runner.save()
    assert [one.description for one in project.runners.list(get_all=True)] == ["renamed"]
    gl.runners.verify(made.token)
    return made


def pipelines(runner):
    pipeline = project.pipelines.create({"ref": "main", "variables": [{"key": "GIVEN", "value": "1"}]})
    assert [one.key for one in pipeline.variables.list(get_all=True)] == ["GIVEN"]
    # That of the push is older, and may have been created later.
    ran = [run_next(runner.token), run_next(runner.token)]
    job = project.jobs.get([one.id for one in pipeline.jobs.list(get_all=True) if one.id in ran][0])
    assert (job.status, job.trace(), job.artifact("out.txt")) == ("success", b"hello", b"made")
    assert zipfile.ZipFile(io.BytesIO(job.artifacts())).namelist() == ["out.txt"]
    job.keep_artifacts()
    assert project.artifacts.raw("main", "out.txt", job="build") == b"made"
    assert {one.name for one in pipeline.jobs.list(get_all=True)} == {"build", "hand"}
    assert [one.name for one in pipeline.bridges.list(get_all=True)] == []
    assert pipeline.test_report.get().total_count == 0
    waiting = until(lambda: [one.id for one in pipeline.jobs.list(get_all=True) if one.name == "hand" and one.status == "manual"])
    hand = project.jobs.get(waiting[0])
    hand.play()
    hand.cancel()
    job.retry()
    pipeline.refresh()
    assert pipeline.status in ("pending", "running"), pipeline.status
    pipeline.cancel()
    pipeline.retry()
    assert project.pipelines.get("latest").ref == "main"
    assert gl.runners.get(runner.id).jobs.list(get_all=True)[0].status == "success"
    job.erase()
    environments(job)
    pipeline.cancel()
    pipeline.delete()


def environments(job):
    [environment] = until(lambda: [one for one in project.environments.list(name="review/main", get_all=True) if one.external_url])
    assert environment.external_url == "https://review.example.com"
    deployment = project.deployments.list(status="success", get_all=True)[0]
    assert deployment.deployable["name"] == job.name
    sha = project.commits.list(get_all=True)[0].id
    own = project.deployments.create({"environment": "production", "sha": sha, "ref": "main", "tag": False, "status": "running"})
    own.status = "success"
    own.save()
    environment.stop()
    environment.delete()


def starts():
    trigger = project.triggers.create({"description": "for a machine"})
    pipeline = project.trigger_pipeline("main", trigger.token, {"BY": "machine"})
    assert project.pipelines.get(pipeline.id).source == "trigger"
    trigger.delete()
    fields = {"ref": "main", "description": "nightly", "cron": "0 1 * * *", "cron_timezone": "Europe/Berlin"}
    schedule = project.pipelineschedules.create(fields)
    schedule.variables.create({"key": "WHEN", "value": "night"})
    schedule.description = "each night"
    schedule.save()
    assert project.pipelineschedules.get(schedule.id).attributes["variables"][0]["key"] == "WHEN"
    schedule.take_ownership()
    # The client forgets the id with it.
    number = schedule.id
    schedule.play()
    project.pipelineschedules.delete(number)


def lint():
    assert project.ci_lint.get().valid
    assert not project.ci_lint.create({"content": "a: {scrip: [make]}"}).valid


variables()
runner = runners()
pipelines(runner)
starts()
lint()
gl.runners.delete(runner.id)
project.delete()
print("all is well")
