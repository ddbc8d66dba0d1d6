/** Compares two commits, and finds merge bases (spec 4.14). */
import { type Static, Type } from 'typebox'
import { projectUrl } from '../../../addresses/links.ts'
import { invalid, notFound } from '../../../failure.ts'
import { compareCommits, maxCommits, maxFiles } from '../../../git/diff/compare.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { maxCommits_chars, readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { nullable, resource } from '../../../http/parameters/schema.ts'
import { Commit, Diff } from '../commits/commits.schema.ts'
import { presentCommit, presentDiff } from '../commits/commits.ts'

const Comparison = resource('Comparison', {
  commit: nullable(Commit),
  commits: Type.Array(Commit, { description: `Oldest first; the newest ${maxCommits} at most, and about ${maxCommits_chars} characters` }),
  diffs: Type.Array(Diff, { description: `Of the first ${maxFiles} files at most` }),
  compare_timeout: Type.Boolean({ description: 'The comparison is incomplete: it took too long, or is too large' }),
  compare_same_ref: Type.Boolean(),
})

/** Each requires a walk. */
const maxRefs = 50
/** The comparison with a missing ref, which is empty. */
const nothingCompared: Static<typeof Comparison> = { commit: null, commits: [], diffs: [], compare_timeout: false, compare_same_ref: false }

export const comparisons = [
  endpoint('GET /projects/:id/repository/compare', {
    summary: 'Compare two branches, tags or commits; with an unknown one, nothing',
    access: project('code'),
    query: {
      from: Type.String({ description: 'Branch, tag or commit to start from' }),
      to: Type.String({ description: 'Branch, tag or commit to end at' }),
      straight: Type.Boolean({ default: false, description: 'Compare directly, not from the merge base' }),
    },
    reply: Comparison,
    async handle({ app, repo, project, query }) {
      const [from, to] = await Promise.all([query.from, query.to].map((ref) => resolveCommit(repo, ref.trim())))
      if (!from || !to) return nothingCompared
      const { commits, diffs, cut } = await compareCommits(repo, from, to, query)
      const all = commits.map((commit) => presentCommit(commit, projectUrl(app.config, project)))
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
    summary: 'Get the merge base of branches, tags or commits',
    access: project('code'),
    query: { refs: Type.Array(Type.String(), { description: `From two to ${maxRefs}` }) },
    reply: Commit,
    async handle({ app, repo, project, query: { refs } }) {
      if (refs.length < 2) throw invalid('Provide at least 2 refs')
      if (refs.length > maxRefs) throw invalid(`Provide at most ${maxRefs} refs`)
      const commits = await Promise.all(refs.map((ref) => resolveCommit(repo, ref)))
      const unknown = [...new Set(refs.filter((_, index) => !commits[index]))]
      if (unknown.length > 0) throw invalid(`Could not find ref${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`)
      const base = await mergeBase(
        repo,
        commits.filter((commit) => commit !== null),
      )
      if (!base) throw notFound('Merge Base')
      return presentCommit(await readCommit(repo, base), projectUrl(app.config, project))
    },
  }),
]
