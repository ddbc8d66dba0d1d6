/** Comparing two commits, and finding their merge base (spec 4.14). */
import { Type } from 'typebox'
import { invalid, notFound } from '../../../failure.ts'
import { compareCommits, maxCommits, maxFiles } from '../../../git/diff/compare.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { project } from '../../../http/rules.ts'
import { nullable, resource } from '../../../http/schema.ts'
import { Commit, Diff } from '../commits/commits.schema.ts'
import { presentCommit, presentDiff } from '../commits/commits.ts'

const Comparison = resource('Comparison', {
  commit: nullable(Commit),
  commits: Type.Array(Commit, { description: `Oldest first; of more than ${maxCommits} the newest` }),
  diffs: Type.Array(Diff, { description: `Of more than ${maxFiles} files the first` }),
  compare_timeout: Type.Boolean({ description: 'Not everything is here: it took too long to find out, or is too much' }),
  compare_same_ref: Type.Boolean(),
})

export const comparisons = [
  endpoint('GET /projects/:id/repository/compare', {
    summary: 'Compare two branches, tags or commits',
    access: project('code'),
    query: {
      from: Type.String({ description: 'Branch, tag or commit to start from' }),
      to: Type.String({ description: 'Branch, tag or commit to end with' }),
      straight: Type.Boolean({ default: false, description: 'Compare the two as they are, not with where they parted' }),
    },
    reply: Comparison,
    async handle({ repo, query }) {
      const [from, to] = await Promise.all([query.from, query.to].map((ref) => resolveCommit(repo, ref.trim())))
      if (!from || !to) throw notFound('Ref')
      const { commits, diffs, cut } = await compareCommits(repo, from, to, query)
      const all = commits.map(presentCommit)
      return {
        commit: all.at(-1) ?? null,
        commits: all,
        diffs: diffs.map(presentDiff),
        compare_timeout: cut,
        compare_same_ref: from === to,
      }
    },
  }),
  endpoint('GET /projects/:id/repository/merge_base', {
    summary: 'Get the best common ancestor of two branches, tags or commits',
    access: project('code'),
    query: { refs: Type.Array(Type.String(), { description: 'Exactly two' }) },
    reply: Commit,
    async handle({ repo, query }) {
      const [one, other, ...more] = query.refs
      if (one === undefined || other === undefined || more.length > 0) throw invalid('Provide exactly 2 refs')
      const [first, second] = await Promise.all([one, other].map((ref) => resolveCommit(repo, ref)))
      const unknown = [...new Set([...(first ? [] : [one]), ...(second ? [] : [other])])]
      if (!first || !second) throw invalid(`Could not find ref${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`)
      const base = await mergeBase(repo, first, second)
      if (!base) throw notFound('Merge Base')
      return presentCommit(await readCommit(repo, base))
    },
  }),
]
