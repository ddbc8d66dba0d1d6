/** Commits (spec 4.4). */
import { Type } from 'typebox'
import { projectUrl } from '../../../addresses/links.ts'
import { diffCommit } from '../../../git/diff/diff.ts'
import { countCommits, listCommits, readStats } from '../../../git/history/history.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { RefKind } from '../../../git/refs/ref-cache.ts'
import { refsContaining } from '../../../git/refs/refs.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Instant, Off, oneOfDefault, text } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { commit, commitOrTip } from '../revisions.ts'
import { presentCommitDetail, presentCommits, presentCommitWithStats, presentDiff, presentRef } from './commits.present.ts'
import { CommitDetail, CommitInList, CommitRef, CommitSequence, Diff } from './commits.schema.ts'
import { lastPipelineOf } from './last-pipelines.queries.ts'

/** Limit of sequence numbers. */
const maxSequence = 100_000_000

const kindsOf: Record<'all' | 'branch' | 'tag', RefKind[]> = { all: ['heads', 'tags'], branch: ['heads'], tag: ['tags'] }

export const commits = [
  listEndpoint('GET /projects/:id/repository/commits', {
    summary: 'List commits, newest first',
    access: project('code'),
    fromRepository: true,
    query: {
      ref_name: Type.Optional(
        Type.String({ description: 'Branch, tag or commit to start from; the default branch by default; an unknown one has no commits' }),
      ),
      since: Type.Optional(Instant),
      until: Type.Optional(Instant),
      path: Type.Optional(Type.String({ description: 'Only commits that changed this file or folder' })),
      author: Type.Optional(text(255)),
      first_parent: Type.Unsafe<boolean>({ ...Off, description: 'Follow only the first parent of merges' }),
      order: Type.Unsafe<'default' | 'topo'>({
        ...oneOfDefault('default', 'topo'),
        description: 'topo: no commit before all of its children',
      }),
      all: Off,
      with_stats: Off,
    },
    item: CommitInList,
    async handle({ app, repo, project, query, page }) {
      const { ref_name, all, path, author, first_parent, order } = query
      // Before the first push, the history is empty rather than unknown.
      if (!ref_name && project.default_branch === null) return { rows: [], total: 0 }
      const from = all ? null : await commitOrTip(repo, project, ref_name)
      if (!all && from === null) return { rows: [], total: 0 }
      // Git compares whole seconds, and both ends belong to the range.
      const since = query.since === undefined ? undefined : Math.ceil(Date.parse(query.since) / 1000)
      const until = query.until === undefined ? undefined : Math.floor(Date.parse(query.until) / 1000)
      const { rows, total } = await listCommits(repo, { from, path, since, until, author, first_parent, order }, page)
      const url = projectUrl(app.config, project)
      if (!query.with_stats) return { rows: presentCommits(rows, url), total }
      const stats = await readStats(repo, rows)
      return { rows: rows.map((commit) => presentCommitWithStats(commit, stats.get(commit.oid), url)), total }
    },
  }),
  endpoint('GET /projects/:id/repository/commits/:sha', {
    summary: 'Get a commit',
    access: within(project('code'), commit),
    query: { stats: Type.Boolean({ default: true }) },
    reply: CommitDetail,
    async handle({ app, repo, project, commit: oid, query }) {
      const commit = await readCommit(repo, oid)
      const stats = query.stats ? await readStats(repo, [commit]) : null
      const last_pipeline = await lastPipelineOf(app.db, project.id, oid)
      return presentCommitDetail(commit, {
        stats: stats?.get(oid),
        last_pipeline,
        project_id: project.id,
        project: projectUrl(app.config, project),
      })
    },
  }),
  listEndpoint('GET /projects/:id/repository/commits/:sha/refs', {
    summary: 'List the branches and tags that contain a commit',
    access: within(project('code'), commit),
    query: { type: oneOfDefault('all', 'branch', 'tag') },
    item: CommitRef,
    async handle({ repo, commit, query, page }) {
      const { rows, total } = slice(await refsContaining(repo, commit, kindsOf[query.type]), page)
      return { rows: rows.map(presentRef), total }
    },
  }),
  endpoint('GET /projects/:id/repository/commits/:sha/sequence', {
    summary: 'Get the number of a commit: how many lead to it, itself included',
    access: within(project('code'), commit),
    query: { first_parent: Type.Unsafe<boolean>({ ...Off, description: 'Follow only the first parent of merges' }) },
    reply: CommitSequence,
    async handle({ repo, commit, query }) {
      return { count: await countCommits(repo, commit, null, maxSequence, query) }
    },
  }),
  listEndpoint('GET /projects/:id/repository/commits/:sha/diff', {
    summary: 'Get the diff of a commit to its first parent',
    access: within(project('code'), commit),
    item: Diff,
    async handle({ repo, commit, page }) {
      const { rows, total } = await diffCommit(repo, await readCommit(repo, commit), page)
      return { rows: rows.map(presentDiff), total }
    },
  }),
]
