/** Downloads the files of a commit as an archive (spec 4.14). */
import { Type } from 'typebox'
import { streamEndpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { archive, formats } from './archive.ts'

const sha = Type.Optional(Type.String({ description: 'Branch, tag or commit; the default branch by default' }))
const Format = Type.Unsafe<string>({ type: 'string', enum: [...formats.keys()], default: 'tar.gz' })
/** The status if the bzip2 program is missing. */
const statuses = { unsupported: 406 }

export const archives = [
  streamEndpoint('GET /projects/:id/repository/archive', {
    summary: 'Download an archive of a repository',
    access: project('code'),
    query: { sha, format: Format },
    statuses,
    handle: ({ repo, project, query }) => archive(repo, project, query.sha, query.format),
  }),
  streamEndpoint('GET /projects/:id/repository/archive.:format', {
    summary: 'Download an archive of a repository in the format of the path',
    access: project('code'),
    query: { sha },
    statuses,
    handle: ({ repo, project, params, query }) => archive(repo, project, query.sha, params.format),
  }),
]
