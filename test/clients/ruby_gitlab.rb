# Users, groups, projects, members and settings by Debian's ruby-gitlab, unmodified: ruby_gitlab.rb URL TOKEN

require 'gitlab'

url, token = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def check(what, found, wanted)
  raise "#{what}: #{found.inspect}, not #{wanted.inspect}" unless found == wanted
end

def refused(status)
  yield
rescue Gitlab::Error::ResponseError => e
  check('refused', e.response_status, status)
else
  raise "not refused with #{status}"
end

ada = api.create_user('ada@rb.example.com', 'a long password', 'rb-ada', name: 'Ada', skip_confirmation: true)
check 'found', api.users(username: 'rb-ada').map(&:id), [ada.id]
check 'edited', api.edit_user(ada.id, bio: 'Programs').bio, 'Programs'
refused(409) { api.create_user('y@rb.example.com', 'a long password', 'rb-ada', name: 'Y') }
api.block_user(ada.id)
check 'blocked', api.user(ada.id).state, 'blocked'
api.unblock_user(ada.id)
check 'unblocked', api.user(ada.id).state, 'active'

top = api.create_group('Rb Top', 'rb-top', visibility: 'internal')
low = api.create_group('Low', 'low', parent_id: top.id)
check 'subgroups', api.group_subgroups(top.id).map(&:full_path), ['rb-top/low']
check 'edited group', api.edit_group(low.id, description: 'Below').description, 'Below'
check 'member', api.add_group_member(top.id, ada.id, 30).access_level, 30
refused(409) { api.add_group_member(top.id, ada.id, 30) }
check 'changed member', api.edit_group_member(top.id, ada.id, 40).access_level, 40
check 'members', api.group_members(top.id).map(&:username).include?('rb-ada'), true

project = api.create_project('Ruby Engine', namespace_id: top.id, visibility: 'internal')
check 'path', project.path_with_namespace, 'rb-top/ruby-engine'
check 'edited project', api.edit_project(project.id, description: 'Runs').description, 'Runs'
check 'found project', api.projects(search: 'ruby engine').map(&:id), [project.id]
check 'starred', api.star_project(project.id).star_count, 1
api.create_file(project.id, 'README.md', 'main', "# Engine\n", 'First')
fork = api.create_fork(project.id)
check 'fork', api.project(fork.id).forked_from_project.id, project.id
check 'team', api.add_team_member(project.id, ada.id, 40).access_level, 40
check 'share', api.share_project_with_group(project.id, api.create_group('Rb Other', 'rb-other').id, 20).group_access, 20
refused(404) { api.project(999_999) }

limit = api.application_settings.default_projects_limit
check 'setting', api.edit_application_settings(default_projects_limit: 7).default_projects_limit, 7
api.edit_application_settings(default_projects_limit: limit)

api.remove_team_member(project.id, ada.id)
api.delete_project(fork.id)
api.delete_project(project.id)
api.delete_group(top.id)
api.delete_user(ada.id)
puts 'all is well'
