/** Quick actions that tie an issue to another one. */
import type { QuickActions } from './actions.ts'
import { readIssue } from './arguments.ts'
import { onOwn } from './plain.actions.ts'

export const relationActions: QuickActions = {
  duplicate: onOwn(async ({ tx, config, actor, issue, updates }, argument) => {
    const canonical = await readIssue(tx, config, actor, argument)
    if (!canonical || canonical.id === issue.id) return null
    updates.canonical_issue_id = canonical.id
    return `Closed this issue. Marked as a duplicate of ${argument}.`
  }),
}
