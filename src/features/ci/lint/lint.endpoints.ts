/** Checks of CI files. */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { anyone, type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { Off } from '../../../http/parameters/schema.ts'
import { requireCommitOrTip } from '../../repository/revisions.ts'
import { fileAt } from '../includes/includes.ts'
import { presentLint, presentLintedText } from './lint.present.ts'
import { Lint, LintedText } from './lint.schema.ts'
import { type DryRun, lintIn, lintText } from './lint.service.ts'

const content = Type.String({ description: 'The file, as YAML' })
const ref = Type.Optional(Type.String({ description: 'Branch or tag of the simulation; the default branch by default' }))
const withJobs = { include_jobs: Off }

/**
 * The ref to simulate a push to, and its commit: a branch takes precedence over a tag of the same name. Throws `404 Reference Not Found`.
 */
async function simulated(
  { repo, project }: Pick<ProjectGranted, 'repo' | 'project'>,
  name: string | undefined,
): Promise<{ commit: string; run: DryRun }> {
  const wanted = name || project.default_branch || ''
  const short = wanted.replace(/^refs\/(heads|tags)\//, '')
  const branch = wanted.startsWith('refs/tags/') ? null : await resolveCommit(repo, `refs/heads/${short}`)
  const commit = branch ?? (wanted.startsWith('refs/heads/') ? null : await resolveCommit(repo, `refs/tags/${short}`))
  if (!commit) throw notFound('Reference')
  return { commit, run: { ref: short, tag: branch === null } }
}

export const lint = [
  endpoint('POST /lint', {
    summary: 'Check the text of a CI file',
    // The reference serves it here; its documentation omits `ci`.
    alias: 'POST /ci/lint',
    operationId: 'lint',
    access: anyone(),
    changesNothing: true,
    body: { content, ...withJobs, include_merged_yaml: Off },
    status: 200,
    reply: LintedText,
    async handle({ user, ip, body }) {
      return presentLintedText(await lintText({ user, ip }, body.content), body)
    },
  }),
  endpoint('GET /projects/:id/ci/lint', {
    summary: 'Check the CI file of a project',
    access: project('code'),
    query: {
      content_ref: Type.Optional(
        Type.String({ description: 'Commit, branch or tag to read the file from; the default branch by default' }),
      ),
      sha: Type.Optional(Type.String({ description: 'Older name of `content_ref`' })),
      dry_run: Type.Optional(Type.Boolean({ description: 'Whether to simulate a push, and list the jobs it would run' })),
      dry_run_ref: ref,
      ref,
      ...withJobs,
    },
    reply: Lint,
    async handle({ app, user, project, repo, query }) {
      const commit = await requireCommitOrTip(repo, project, query.content_ref ?? query.sha, 'Commit')
      const dryRun = query.dry_run ? (await simulated({ project, repo }, query.dry_run_ref ?? query.ref)).run : null
      const text = await fileAt(repo, commit, project.ci_config_path || '.gitlab-ci.yml')
      const linted = await lintIn(app, { project, repo, commit }, user, text, dryRun)
      return presentLint(linted, project.full_path, query.include_jobs)
    },
  }),
  endpoint('POST /projects/:id/ci/lint', {
    summary: 'Check a text as the CI file of a project',
    access: project('lint_with_project'),
    changesNothing: true,
    body: {
      content,
      dry_run: Type.Optional(Type.Boolean({ description: 'Whether to simulate a push, and list the jobs it would run' })),
      ref,
      ...withJobs,
    },
    status: 200,
    reply: Lint,
    async handle({ app, user, project, repo, body }) {
      // A text can be checked before anything is pushed; only a push can't be simulated then.
      const isAlone = project.default_branch === null && !body.ref && !body.dry_run
      const simulation = isAlone ? null : await simulated({ project, repo }, body.ref)
      const place = { project, repo, commit: simulation?.commit ?? null }
      const linted = await lintIn(app, place, user, body.content, (body.dry_run && simulation?.run) || null)
      return presentLint(linted, project.full_path, body.include_jobs)
    },
  }),
]
