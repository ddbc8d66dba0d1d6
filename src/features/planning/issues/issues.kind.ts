/** Issues as a kind of noteable. */
import { readersOfIssue } from '../../../access/readers.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { grantedAsNoteable, type NoteableKind } from '../../noteable-kind.ts'
import { issueInPath } from './issues.access.ts'
import { issuesByIds, notesOnVisibleIssues } from './issues.queries.ts'

export const issueKind: NoteableKind<'issue'> = {
  name: 'issue',
  type: 'Issue',
  mailName: 'Issue',
  noun: 'issue',
  label: 'an issue',
  title: 'Issue',
  sign: '#',
  path: 'issues/:issue_iid',
  oldPath: null,
  pagePath: 'issues/:issue_iid',
  table: 'issues',
  access: grantedAsNoteable(within(project('signed-in'), issueInPath), ({ issue }) => ({ kind: 'issue', row: issue })),
  nameInPath: ({ iid }) => iid,
  reference: ({ iid }) => `#${iid}`,
  titleOf: ({ title }) => title,
  async find(db, keys) {
    const rows = await issuesByIds(
      db,
      keys.map(({ id }) => id),
    )
    return rows.map((row) => ({ kind: 'issue', row }))
  },
  readers: readersOfIssue,
  notesVisible: notesOnVisibleIssues,
  isIssuable: true,
  causesTodos: true,
  hasSingleNotes: true,
  hasInternalNotes: true,
  resolvable: false,
  hasDiff: false,
  takesSuggestions: false,
  takesQuickActions: true,
  awardsEmojiBodies: false,
}
