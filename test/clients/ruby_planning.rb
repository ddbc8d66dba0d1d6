# Issues and all around them by Debian's ruby-gitlab, unmodified: ruby_planning.rb URL TOKEN

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

project = api.create_project('Ruby Plan').id
elsewhere = api.create_project('Ruby Elsewhere').id

label = api.create_label(project, 'bug', '#ff0000', priority: 2)
check 'label', api.edit_label(project, 'bug', new_name: 'fault').name, 'fault'
check 'labels', api.labels(project).map(&:name), ['fault']
check 'subscribed', api.subscribe_to_label(project, 'fault').subscribed, true
api.unsubscribe_from_label(project, 'fault')
refused(409) { api.create_label(project, 'fault', '#ff0000') }

milestone = api.create_milestone(project, 'v1', due_date: '2030-01-02')
check 'milestone', api.edit_milestone(project, milestone.id, state_event: 'close').state, 'closed'
check 'milestones', api.milestones(project).map(&:title), ['v1']

issue = api.create_issue(project, 'First', labels: 'fault', milestone_id: milestone.id, description: 'See @root')
check 'issue', [issue.iid, issue.labels, issue.milestone.title], [1, ['fault'], 'v1']
check 'edited', api.edit_issue(project, 1, title: 'The ruby one').title, 'The ruby one'
check 'closed', api.close_issue(project, 1).state, 'closed'
check 'reopened', api.reopen_issue(project, 1).state, 'opened'
check 'issues', api.issues(project, labels: 'fault').map(&:iid), [1]
check 'own', api.issues(nil, scope: 'created_by_me', search: 'The ruby one').map(&:title), ['The ruby one']
check 'of the milestone', api.milestone_issues(project, milestone.id).map(&:iid), [1]
check 'no requests', api.milestone_merge_requests(project, milestone.id).to_a, []
api.subscribe_to_issue(project, 1)
check 'unsubscribed', api.unsubscribe_from_issue(project, 1).subscribed, false
api.estimate_time_of_issue(project, 1, '3h30m')
check 'spent', api.add_time_spent_on_issue(project, 1, '1h').human_total_time_spent, '1h'
api.reset_time_spent_on_issue(project, 1)
check 'estimate', api.time_stats_for_issue(project, 1).time_estimate, 12_600
api.reset_time_estimate_of_issue(project, 1)
check 'participants', api.participants_on_issue(project, 1).map(&:username), ['root']
check 'closing', api.merge_requests_closing_issue_on_merge(project, 1).to_a, []
refused(404) { api.issue(project, 99) }

note = api.create_issue_note(project, 1, 'Words')
check 'note', api.edit_issue_note(project, 1, note.id, 'Other words').body, 'Other words'
check 'notes', api.issue_notes(project, 1).reject(&:system).map(&:body), ['Other words']
award = api.create_award_emoji(project, 1, 'issue', 'thumbsup')
check 'awards', api.award_emojis(project, 1, 'issue').map(&:name), ['thumbsup']
api.delete_award_emoji(project, 1, 'issue', award.id)
on_note = api.create_note_award_emoji(project, 1, 'issue', note.id, 'tada')
check 'on the note', api.note_award_emojis(project, 1, 'issue', note.id).map(&:id), [on_note.id]
api.delete_note_award_emoji(project, 1, 'issue', note.id, on_note.id)

board = api.create_board(project, 'Plan')
check 'board', api.edit_board(project, board.id, name: 'Plans').name, 'Plans'
column = api.create_board_list(project, board.id, label.id)
second = api.create_board_list(project, board.id, api.create_label(project, 'later', '#00ff00').id)
check 'lists', api.board_lists(project, board.id).map { |list| list.label.name }, %w[fault later]
check 'moved', api.edit_board_list(project, board.id, second.id, 0).position, 0
api.delete_board_list(project, board.id, column.id)
api.delete_board(project, board.id)

check 'label events', api.issue_label_events(project, 1).map(&:action), ['add']
check 'events', api.project_events(project, action: 'closed', target_type: 'issue').map(&:target_title), ['The ruby one']
check 'of the user', api.user_events('root', target_type: 'note').first.note.body, 'Other words'
check 'own events', api.events(target_type: 'milestone', action: 'created').first.target_title, 'v1'
refused(400) { api.events(before: '2018-13-40') }

api.mark_all_todos_as_done
api.todos.each { |todo| raise "left: #{todo.id}" }
api.edit_issue(project, 1, description: 'Moves')
copy = api.move_issue(project, 1, to_project_id: elsewhere)
check 'copy', [copy.title, copy.project_id], ['The ruby one', elsewhere]
api.delete_issue_note(project, 1, note.id)
api.delete_issue(project, 1)
refused(404) { api.issue(project, 1) }
api.delete_milestone(project, milestone.id)
api.delete_label(project, 'fault')
api.delete_project(elsewhere)
api.delete_project(project)
puts 'all is well'
