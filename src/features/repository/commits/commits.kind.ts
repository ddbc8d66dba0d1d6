/** Commits as a kind of noteable. */
import { canDownload } from '../../../access/find.ts'
import { readersOfCommits } from '../../../access/readers.ts'
import type { DiscussedCommit } from '../../../db/tables.ts'
import { authenticated, project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { grantedAsNoteable, type NoteableKind } from '../../noteable-kind.ts'
import { commit } from '../revisions.ts'

export function discussedCommit(project_id: number, oid: string): DiscussedCommit {
  return { id: null, iid: null, oid, project_id, author_id: null, discussion_locked: null }
}

export const commitKind: NoteableKind<'commit'> = {
  name: 'commit',
  type: 'Commit',
  mailName: 'Commit',
  noun: 'commit',
  label: 'a commit',
  title: 'Commit',
  sign: '@',
  path: 'repository/commits/:sha',
  oldPath: 'commits/:sha',
  pagePath: 'commit/:sha',
  table: null,
  access: grantedAsNoteable(within(authenticated(project('code')), commit), ({ project, commit }) => ({
    kind: 'commit',
    row: discussedCommit(project.id, commit),
  })),
  nameInPath: ({ oid }) => oid,
  reference: ({ oid }) => oid.slice(0, 8),
  titleOf: ({ oid }) => `Commit ${oid.slice(0, 8)}`,
  find: async (_db, keys) => keys.map(({ project_id, oid }) => ({ kind: 'commit', row: discussedCommit(project_id, oid) })),
  readers: (db, project, _row, userIds, options) => readersOfCommits(db, project, userIds, options),
  notesVisible: (eb, viewer, access) =>
    canDownload(access, viewer) ? eb.and([eb('notes.commit_oid', 'is not', null), eb('notes.merge_request_id', 'is', null)]) : null,
  isIssuable: false,
  causesTodos: true,
  // Its notes are listed as comments instead.
  hasSingleNotes: false,
  hasInternalNotes: false,
  resolvable: false,
  hasDiff: true,
  takesSuggestions: false,
  takesQuickActions: true,
  awardsEmojiBodies: false,
}
