/** Quick actions that change labels, and thereby the board list of an issue. */
import { kindOf } from '../../noteable-kinds.ts'
import { labelIds } from '../../planning/issuables/issuables.ts'
import { managed, onIssue, onManaged, type QuickActions } from './actions.ts'
import { labelsOfOnlyBoard } from './arguments.queries.ts'
import { readIssue, readLabels, readMergeRequest } from './arguments.ts'

const named = (labels: Array<{ title: string }>) =>
  `${labels.map(({ title }) => (/^\S+$/.test(title) ? `~${title}` : `~"${title}"`)).join(' ')} ${labels.length === 1 ? 'label' : 'labels'}`
const idsOf = (labels: Array<{ id: number }>) => labels.map(({ id }) => id)
const together = (before: number[] | undefined, ids: number[]) => [...new Set([...(before ?? []), ...ids])]

type Asked = Parameters<typeof readIssue>

async function issueNamed(...asked: Asked) {
  const row = await readIssue(...asked)
  return row && { kind: 'issue' as const, row, labels: await labelIds(asked[0], 'issue_labels', row.id) }
}

async function mergeRequestNamed(...asked: Asked) {
  const row = await readMergeRequest(...asked)
  return row && { kind: 'merge_request' as const, row, labels: await labelIds(asked[0], 'merge_request_labels', row.id) }
}

export const labelActions: QuickActions = {
  label: managed(async ({ tx, actor, updates }, argument) => {
    const labels = await readLabels(tx, actor, argument)
    if (labels.length === 0) return null
    updates.add_label_ids = together(updates.add_label_ids, idsOf(labels))
    return `Added ${named(labels)}.`
  }),
  unlabel: onManaged(async ({ tx, actor, labels: current, updates }, argument) => {
    if (current.length === 0) return null
    if (argument === '') {
      updates.label_ids = []
      return 'Removed all labels.'
    }
    const labels = await readLabels(tx, actor, argument)
    if (labels.length === 0) return null
    updates.remove_label_ids = together(updates.remove_label_ids, idsOf(labels))
    return `Removed ${named(labels)}.`
  }),
  relabel: onManaged(async ({ tx, actor, updates }, argument) => {
    const labels = await readLabels(tx, actor, argument)
    if (labels.length === 0) return null
    updates.label_ids = together(updates.label_ids, idsOf(labels))
    return `Replaced all labels with ${named(labels)}.`
  }),
  copy_metadata: onManaged(async ({ tx, config, actor, on, updates }, argument) => {
    const source = (await issueNamed(tx, config, actor, argument)) ?? (await mergeRequestNamed(tx, config, actor, argument))
    if (!source || source.row.project_id !== on.row.project_id || (on.kind === source.kind && source.row.id === on.row.id)) return null
    updates.add_label_ids = together(updates.add_label_ids, source.labels)
    if (source.row.milestone_id !== null) updates.milestone_id = source.row.milestone_id
    return `Copied labels and milestone from ${kindOf(source).sign}${source.row.iid}.`
  }),
  board_move: managed(
    onIssue(async ({ tx, actor, labels: current, updates }, argument) => {
      const onBoard = await labelsOfOnlyBoard(tx, actor.project.id)
      const [label, ...others] = await readLabels(tx, actor, argument)
      if (!label || others.length > 0 || !onBoard?.includes(label.id)) return null
      const left = current.filter((id) => id !== label.id && onBoard.includes(id))
      updates.remove_label_ids = together(updates.remove_label_ids, left)
      updates.add_label_ids = together(updates.add_label_ids, [label.id])
      return `Moved issue to ${named([label]).replace(/ label$/, '')} column in the board.`
    }),
  ),
}
