/** Badges of pipelines, at the URLs that READMEs contain. They are never cached, as their state changes. */

import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { mayReadJobs } from '../../access/jobs.ts'
import { notFound } from '../../failure.ts'
import { coverageBadge, drawBadge, pipelineBadge, type StatusBadge } from '../../features/ci/badges/badges.ts'
import { translated } from '../../html/sentences.ts'
import { only, type ProjectGranted, project } from '../../http/declare/rules.ts'
import { page } from '../frame/declaration.ts'

const readers = translated({
  description: 'those who can see its jobs',
  holds: ({ project, level }: ProjectGranted) => mayReadJobs({ project, level }),
  refusal: () => notFound(),
})

function picture(badge: StatusBadge) {
  const body = Buffer.from(drawBadge(badge))
  return {
    bytes: {
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      size: body.length,
      describe: () => ({ type: 'image/svg+xml', 'cache-control': 'no-cache' }),
      open: (part?: { start: number; end: number }) => (part ? body.subarray(part.start, part.end + 1) : body),
    },
  }
}

export const badgePages = [
  page('GET /:project/badges/*.svg', {
    access: only(project('visible'), readers),
    query: { job: Type.Optional(Type.String()) },
    async show({ app, project, repo, params, sent }) {
      const [, ref, kind] = /^(.+)\/(pipeline|build|coverage)$/.exec(params['*']) ?? []
      if (!ref || !kind) throw notFound()
      if (kind === 'coverage') return picture(await coverageBadge(app, project.id, ref, sent.job))
      return picture(await pipelineBadge(app, repo, project.id, ref))
    },
  }),
]
