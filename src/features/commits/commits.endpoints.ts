/** Commits (spec 4.4). */
import { Type } from 'typebox'
import { notFound } from '../../failure.ts'
import { diffCommit } from '../../git/diff.ts'
import { type CommitStats, listCommits, readStats } from '../../git/history.ts'
import { readCommit, resolveCommit } from '../../git/read.ts'
import { endpoint, listEndpoint } from '../../http/endpoint.ts'
import { project } from '../../http/rules.ts'
import { Instant, Off } from '../../http/schema.ts'
import { commitAt } from '../repository/repository.service.ts'
import { presentCommit, presentDiff, presentStats } from './commits.present.ts'
import { CommitDetail, CommitInList, Diff } from './commits.schema.ts'

export const commits = [
  listEndpoint('GET /projects/:id/repository/commits', {
    summary: 'List commits, newest first',
    access: project('code'),
    query: {
      ref_name: Type.Optional(Type.String({ description: 'Branch, tag or commit to start from; the default branch when absent' })),
      since: Type.Optional(Instant),
      until: Type.Optional(Instant),
      path: Type.Optional(Type.String({ description: 'Only commits that changed this file or folder' })),
      all: Off,
      with_stats: Off,
    },
    item: CommitInList,
    async handle({ repo, project, query, page }) {
      const { ref_name, all, path } = query
      // Nothing was ever pushed: an empty history rather than an unknown one.
      if (!ref_name && project.default_branch === null) return { rows: [], total: 0 }
      const from = all ? null : await commitAt(repo, project, ref_name, 'Commit')
      // Git counts in seconds, and both ends belong to the range.
      const since = query.since === undefined ? undefined : Math.ceil(Date.parse(query.since) / 1000)
      const until = query.until === undefined ? undefined : Math.floor(Date.parse(query.until) / 1000)
      const { rows, total } = await listCommits(repo, { from, path, since, until }, page)
      const stats = query.with_stats ? await readStats(repo, rows) : new Map<string, CommitStats>()
      return { rows: rows.map((commit) => ({ ...presentCommit(commit), ...presentStats(stats.get(commit.oid)) })), total }
    },
  }),
  endpoint('GET /projects/:id/repository/commits/:sha', {
    summary: 'Get a commit',
    access: project('code'),
    query: { stats: Type.Boolean({ default: true }) },
    reply: CommitDetail,
    async handle({ repo, project, params, query }) {
      const oid = await resolveCommit(repo, params.sha)
      if (!oid) throw notFound('Commit')
      const commit = await readCommit(repo, oid)
      const stats = query.stats ? await readStats(repo, [commit]) : new Map<string, CommitStats>()
      return { ...presentCommit(commit), ...presentStats(stats.get(oid)), status: null, last_pipeline: null, project_id: project.id }
    },
  }),
  listEndpoint('GET /projects/:id/repository/commits/:sha/diff', {
    summary: 'List what a commit changed, against its first parent',
    access: project('code'),
    item: Diff,
    async handle({ repo, params, page }) {
      const oid = await resolveCommit(repo, params.sha)
      if (!oid) throw notFound('Commit')
      const { rows, total } = await diffCommit(repo, await readCommit(repo, oid), page)
      return { rows: rows.map(presentDiff), total }
    },
  }),
]
