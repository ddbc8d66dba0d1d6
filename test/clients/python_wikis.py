"""Wikis of projects and groups by Debian's python3-gitlab, unmodified: python_wikis.py URL TOKEN GPG_KEY"""

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


def pages_of(place):
    assert place.wikis.list(get_all=True) == []
    home = place.wikis.create({"title": "home", "content": "# Welcome"})
    assert (home.slug, home.format, home.content) == ("home", "markdown", "# Welcome"), home
    place.wikis.create({"title": "docs/set up", "content": "= Set up", "format": "asciidoc"})
    refused([400], lambda: place.wikis.create({"title": "home", "content": "again"}))
    assert [page.slug for page in place.wikis.list(get_all=True)] == ["home", "docs/set-up"]
    assert [page.content for page in place.wikis.list(with_content=1, get_all=True)] == ["# Welcome", "= Set up"]
    page = place.wikis.get("docs/set-up")
    assert (page.title, page.content) == ("set up", "= Set up"), page
    page.content = "= Install"
    page.save()
    assert place.wikis.get("docs/set-up").content == "= Install"
    assert "Install</h1>" in place.wikis.get("docs/set-up", render_html=True).content
    place.wikis.update("docs/set-up", {"title": "install", "content": "= Install"})
    assert place.wikis.get("docs/install").title == "install"
    refused([404], lambda: place.wikis.get("docs/set-up"))
    home.delete()
    refused([404], lambda: place.wikis.get("home"))
    assert [page.slug for page in place.wikis.list(get_all=True)] == ["docs/install"]


group = gl.groups.create({"name": "Py Wikis", "path": "py-wikis"})
pages_of(gl.projects.create({"name": "Py Wiki", "namespace_id": group.id}))
pages_of(group)
print("all is well")
