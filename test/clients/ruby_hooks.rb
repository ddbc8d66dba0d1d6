# Webhooks and integrations by Debian's ruby-gitlab, unmodified: ruby_hooks.rb URL TOKEN

require 'gitlab'

url, token = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)
target = 'https://93.184.216.34/hook'

def check(what, found, wanted)
  raise "#{what}: #{found.inspect}, not #{wanted.inspect}" unless found == wanted
end

project = api.create_project('Ruby Hooks').id
hook = api.add_project_hook(project, target, issues_events: true, push_events: false, token: 'hush')
check 'hook', [hook.url, hook.issues_events, hook.push_events], [target, true, false]
check 'edited', api.edit_project_hook(project, hook.id, "#{target}/2", push_events: true).push_events, true
check 'shown', api.project_hook(project, hook.id).url, "#{target}/2"
check 'hooks', api.project_hooks(project).map(&:id), [hook.id]
api.delete_project_hook(project, hook.id)
check 'none', api.project_hooks(project).to_a, []

system = api.add_hook(target)
check 'system hooks', api.hooks.map(&:id).include?(system.id), true
check 'system hook', api.hook(system.id).url, target
api.delete_hook(system.id)

api.change_service(project, :redmine, new_issue_url: "#{target}/new", project_url: target, issues_url: "#{target}/:id")
check 'service', api.service(project, :redmine).active, true
api.delete_service(project, :redmine)
check 'removed', api.service(project, :redmine).active, false

puts 'all is well'
