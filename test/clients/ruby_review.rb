# Merge requests and all around them by Debian's ruby-gitlab, unmodified: ruby_review.rb URL TOKEN

require 'gitlab'

url, token = ARGV
api = Gitlab.client(endpoint: "#{url}/api/v4", private_token: token)

def check(what, found, wanted)
  raise "#{what}: #{found.inspect}, not #{wanted.inspect}" unless found == wanted
end

def refused(*statuses)
  yield
rescue Gitlab::Error::ResponseError => e
  check('refused', statuses.include?(e.response_status) || e.response_status, true)
else
  raise "not refused with #{statuses}"
end

project = api.create_project('Ruby Review', initialize_with_readme: true)
id = project.id
main = api.project(id).default_branch || 'main'
commit = lambda do |branch|
  actions = [{ action: 'create', file_path: "#{branch}.txt", content: "one\ntwo\n" }]
  api.create_commit(id, branch, "Change #{branch}", actions, start_branch: main)
end
commit.call('topic')
issue = api.create_issue(id, 'To be closed')

made = api.create_merge_request(id, 'Change it', source_branch: 'topic', target_branch: main, description: "Closes ##{issue.iid}")
check 'created', [made.iid, made.state, made.source_branch], [1, 'opened', 'topic']
refused(409) { api.create_merge_request(id, 'Again', source_branch: 'topic', target_branch: main) }
check 'updated', api.update_merge_request(id, 1, title: 'WIP: Change it').work_in_progress, true
check 'ready', api.update_merge_request(id, 1, title: 'Change it').work_in_progress, false
check 'of the project', api.merge_requests(id, state: 'opened').map(&:iid), [1]
check 'own', api.user_merge_requests(scope: 'created_by_me', source_branch: 'topic').map(&:title).include?('Change it'), true
check 'one', api.merge_request(id, 1).title, 'Change it'
check 'participants', api.merge_request_participants(id, 1).map(&:username), ['root']
check 'pipelines', api.merge_request_pipelines(id, 1).to_a, []
check 'changes', api.merge_request_changes(id, 1).changes.map { |one| one['new_path'] }, ['topic.txt']
check 'commits', api.merge_request_commits(id, 1).map(&:title), ['Change topic']
check 'closes', api.merge_request_closes_issues(id, 1).map(&:iid), [1]
check 'closing', api.merge_requests_closing_issue_on_merge(id, 1).map(&:iid), [1]
check 'unsubscribed', api.unsubscribe_from_merge_request(id, 1).subscribed, false
check 'subscribed', api.subscribe_to_merge_request(id, 1).subscribed, true
versions = api.merge_request_diff_versions(id, 1)
check 'versions', versions.map(&:state), ['collected']
check 'version', api.merge_request_diff_version(id, 1, versions.first.id).diffs.first['new_path'], 'topic.txt'

note = api.create_merge_request_note(id, 1, 'Words')
check 'edited', api.edit_merge_request_note(id, 1, note.id, 'Other words').body, 'Other words'
check 'notes', api.merge_request_notes(id, 1).reject(&:system).map(&:body), ['Other words']
refs = api.merge_request(id, 1).diff_refs
position = refs.to_h.merge(position_type: 'text', new_path: 'topic.txt', old_path: 'topic.txt', new_line: 2)
talk = api.create_merge_request_discussion(id, 1, body: 'Why?', position: position)
check 'on a line', talk.notes.first['type'], 'DiffNote'
api.create_merge_request_discussion_note(id, 1, talk.id, body: 'Because')
check 'resolved', api.resolve_merge_request_discussion(id, 1, talk.id, resolved: true).notes.map { |one| one['resolved'] }, [true, true]
check 'discussions', api.merge_request_discussions(id, 1).map(&:id).include?(talk.id), true
api.delete_merge_request_note(id, 1, note.id)

api.approve_merge_request(id, 1)
check 'approved', api.merge_request_approvals(id, 1).approved_by.map { |one| one['user']['username'] }, ['root']
api.unapprove_merge_request(id, 1)
refused(409) { api.accept_merge_request(id, 1, sha: '1' * 40) }
check 'merged', api.accept_merge_request(id, 1, should_remove_source_branch: true).state, 'merged'
check 'closed', api.issue(id, 1).state, 'closed'
refused(405) { api.accept_merge_request(id, 1) }

head = api.commit(id, main).id
api.create_commit_comment(id, head, 'Why?')
check 'on the commit', api.commit_comments(id, head).map(&:note), ['Why?']
puts 'all is well'
