/** The quick actions by name: their syntax and description, for completion and documentation. */

export interface QuickActionName {
  name: string
  aliases: string[]
  /** The argument in its syntax; empty if there is none. */
  argument: string
  description: string
}

/** `/cc @user` isn't listed: it stays in the text as a mention. */
export const quickActionNames: QuickActionName[] = [
  row('close', 'Close'),
  row('reopen', 'Reopen'),
  row('title', 'Change the title', '<new title>'),
  row('assign', 'Assign', '@user', 'reassign'),
  row('unassign', 'Remove the assignee', '', 'remove_assignee'),
  row('milestone', 'Set the milestone', '%milestone'),
  row('remove_milestone', 'Remove the milestone'),
  row('label', 'Add labels', '~label1 ~"label 2"', 'labels'),
  row('unlabel', 'Remove labels, or all of them', '~label1 ~"label 2"', 'remove_label'),
  row('relabel', 'Replace all labels', '~label1 ~"label 2"'),
  row('copy_metadata', 'Copy labels and milestone from another issue', '#issue'),
  row('todo', 'Add a to-do item'),
  row('done', 'Mark the to-do item as done'),
  row('subscribe', 'Subscribe to notifications'),
  row('unsubscribe', 'Unsubscribe from notifications'),
  row('due', 'Set the due date', '<in 2 days | this Friday | December 31st | 2018-12-31>'),
  row('remove_due_date', 'Remove the due date'),
  row('award', 'Add an emoji reaction, or take it back', ':emoji:', 'react'),
  row('estimate', 'Set the time estimate', '<1w 3d 2h 14m>', 'estimate_time'),
  row('remove_estimate', 'Remove the time estimate', '', 'remove_time_estimate'),
  row('spend', 'Add spent time, or subtract it', '<1h 30m | -1h 30m> <2018-12-31>', 'spent', 'spend_time'),
  row('remove_time_spent', 'Remove all spent time'),
  row('merge', 'Merge the merge request, once its pipeline succeeds where one is awaited'),
  row('rebase', 'Rebase the source branch onto the target branch'),
  row('wip', 'Mark as a draft, or as ready', '', 'draft'),
  row('ready', 'Mark as ready'),
  row('target_branch', 'Set the target branch', '<branch>'),
  row('approve', 'Approve the merge request'),
  row('unapprove', 'Take back your approval'),
  row('assign_reviewer', 'Ask for a review', '@user', 'reviewer', 'request_review'),
  row('unassign_reviewer', 'Remove reviewers, or all of them', '@user', 'remove_reviewer'),
  row('lock', 'Lock the discussion'),
  row('unlock', 'Unlock the discussion'),
  row('confidential', 'Make the issue confidential'),
  row('board_move', 'Move the issue to another list of the board', '~list'),
  row('duplicate', 'Close as a duplicate of another issue', '#issue'),
  row('move', 'Move the issue to another project', 'path/to/project'),
  row('tag', 'Tag the commit', 'v1.2.3 <message>'),
  row('shrug', 'Append a shrug to the line', '<text>'),
  row('tableflip', 'Append a flipped table to the line', '<text>'),
]

function row(name: string, description: string, argument = '', ...aliases: string[]): QuickActionName {
  return { name, aliases, argument, description }
}

const byWord = new Map(quickActionNames.flatMap(({ name, aliases }) => [name, ...aliases].map((word) => [word, name] as const)))

/** The action with this name or alias, in lower case; null if there is none. */
export function nameOfAction(word: string): string | null {
  return byWord.get(word) ?? null
}
