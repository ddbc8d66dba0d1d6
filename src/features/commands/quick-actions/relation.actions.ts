/** Quick actions that relate the subject to a user or to something else: todos, subscriptions, emoji, duplicates, another project. */
import { findProject } from '../../../access/find.ts'
import { nullIfMissing } from '../../../failure.ts'
import { hasPendingTodo } from '../../discussion/todos/todos.ts'
import { emojiName } from '../../instance/emoji-names.ts'
import { keyOf } from '../../noteable-kinds.ts'
import { isSubscribed } from '../../planning/issuables/issuables.ts'
import { canMoveTo } from '../issue-moves/issue-moves.ts'
import { managed, onIssue, onOwn, onThere, type QuickActions } from './actions.ts'
import { readIssue } from './arguments.ts'

export const relationActions: QuickActions = {
  todo: onThere(async ({ tx, actor, on, updates }) => {
    if (await hasPendingTodo(tx, actor.user.id, keyOf(on))) return null
    updates.todo_event = 'add'
    return 'Added a to-do item.'
  }),
  done: onThere(async ({ tx, actor, on, updates }) => {
    if (!(await hasPendingTodo(tx, actor.user.id, keyOf(on)))) return null
    updates.todo_event = 'done'
    return 'Marked to-do item as done.'
  }),
  subscribe: onThere(async ({ tx, actor, on, updates }) => {
    if (await isSubscribed(tx, actor.user.id, keyOf(on))) return null
    updates.subscription_event = 'subscribe'
    return 'Subscribed to notifications.'
  }),
  unsubscribe: onThere(async ({ tx, actor, on, updates }) => {
    if (!(await isSubscribed(tx, actor.user.id, keyOf(on)))) return null
    updates.subscription_event = 'unsubscribe'
    return 'Unsubscribed from notifications.'
  }),
  award: onThere(({ updates }, argument) => {
    const [, name = ''] = /^:?([\w+-]{1,100}):?$/.exec(argument) ?? []
    if (emojiName(name) === null) return null
    updates.emoji_award = name
    return `Toggled :${name}: emoji reaction.`
  }),
  duplicate: onOwn(
    onIssue(async ({ tx, config, actor, issue, updates }, argument) => {
      const canonical = await readIssue(tx, config, actor, argument)
      if (!canonical || canonical.id === issue.id) return null
      updates.canonical_issue_id = canonical.id
      return `Closed this issue. Marked as a duplicate of ${argument}.`
    }),
  ),
  move: managed(
    onIssue(async ({ tx, actor, issue, updates }, argument) => {
      const target = argument === '' ? null : await findProject(tx, argument, actor.user).catch(nullIfMissing)
      if (!target || !canMoveTo(actor, issue, target)) return null
      updates.target_project_id = target.project.id
      return `Moved this issue to ${target.project.full_path}.`
    }),
  ),
}
