# Users, groups, projects, members and settings by Debian's ruby-gitlab, unmodified: ruby_gitlab.rb URL TOKEN

require 'base64'
require 'gitlab'
require 'tempfile'

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
picture = Tempfile.new(%w[picture .png], binmode: true)
picture.write(Base64.decode64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='))
picture.close
avatar = api.edit_user(ada.id, avatar: File.open(picture.path, 'rb')).avatar_url
check 'avatar', avatar.end_with?('.png'), true
check 'avatar by address', api.avatar(email: 'ada@rb.example.com').avatar_url, avatar
email = api.add_email('ada2@rb.example.com', ada.id)
check 'emails', api.emails(ada.id).map(&:email), ['ada2@rb.example.com']
api.delete_email(email.id, ada.id)
check 'activities', api.activities.map(&:username).include?('root'), true
check 'unblocked', api.user(ada.id).state, 'active'

top = api.create_group('Rb Top', 'rb-top', visibility: 'internal')
low = api.create_group('Low', 'low', parent_id: top.id)
check 'subgroups', api.group_subgroups(top.id).map(&:full_path), ['rb-top/low']
check 'edited group', api.edit_group(low.id, description: 'Below').description, 'Below'
check 'member', api.add_group_member(top.id, ada.id, 30).access_level, 30
refused(409) { api.add_group_member(top.id, ada.id, 30) }
check 'changed member', api.edit_group_member(top.id, ada.id, 40).access_level, 40
check 'members', api.group_members(top.id).map(&:username).include?('rb-ada'), true

api.remove_group_member(top.id, ada.id)
api.edit_group(top.id, request_access_enabled: true)
# All clients of the gem act as this one, until another is made.
Gitlab.client(endpoint: "#{url}/api/v4", private_token: token, sudo: 'rb-ada').request_group_access(top.id)
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)
check 'requests', api.group_access_requests(top.id).map(&:id), [ada.id]
check 'approved', api.approve_group_access_request(top.id, ada.id, access_level: 40).access_level, 40

project = api.create_project('Ruby Engine', namespace_id: top.id, visibility: 'internal')
check 'path', project.path_with_namespace, 'rb-top/ruby-engine'
check 'edited project', api.edit_project(project.id, description: 'Runs').description, 'Runs'
check 'found project', api.projects(search: 'ruby engine').map(&:id), [project.id]
check 'starred', api.star_project(project.id).star_count, 1
api.create_file(project.id, 'README.md', 'main', "# Engine\n", 'First')
fork = api.create_fork(project.id)
check 'fork', api.project(fork.id).forked_from_project.id, project.id
check 'team', api.add_team_member(project.id, ada.id, 40, expires_at: '2100-01-01').expires_at, '2100-01-01'
check 'share', api.share_project_with_group(project.id, api.create_group('Rb Other', 'rb-other').id, 20).group_access, 20
badge = api.add_group_badge(top.id, link_url: 'https://example.com/%{project_path}', image_url: 'https://example.com/a.png')
check 'badge', badge.rendered_link_url, 'https://example.com/rb-top/ruby-engine'
check 'badges', api.group_badges(top.id).map(&:id), [badge.id]
api.transfer_project(project.id, 'rb-other')
check 'moved', api.project(project.id).path_with_namespace, 'rb-other/ruby-engine'
api.transfer_project_to_group(top.id, project.id)
check 'moved back', api.project(project.id).path_with_namespace, 'rb-top/ruby-engine'
api.remove_forked(fork.id)
check 'no fork', api.project(fork.id).to_h.key?('forked_from_project'), false
api.make_forked_from(fork.id, project.id)
check 'fork again', api.project_forks(project.id).map(&:id), [fork.id]
check 'uploaded', api.upload_file(project.id, picture.path).alt, File.basename(picture.path, '.png')
refused(404) { api.project(999_999) }

limit = api.application_settings.default_projects_limit
check 'setting', api.edit_application_settings(default_projects_limit: 7).default_projects_limit, 7
api.edit_application_settings(default_projects_limit: limit)

check 'markdown', api.markdown('**bold**').html.include?('<strong>'), true
check 'licence', api.license_template('mit', fullname: 'Ada').content.include?('Ada'), true
check 'namespaces', api.namespaces(search: 'rb-top').map(&:full_path).include?('rb-top'), true

api.remove_team_member(project.id, ada.id)
api.delete_project(fork.id)
api.delete_project(project.id)
api.delete_group(top.id)
api.delete_user(ada.id)
puts 'all is well'
