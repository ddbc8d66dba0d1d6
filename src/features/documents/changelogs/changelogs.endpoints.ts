/** Changelogs from the trailers of commits, newer than release 11.3 (the current public documentation of the API). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { Instant, none, resource, text } from '../../../http/parameters/schema.ts'
import { pushable } from '../../repository/pushes/pushes.ts'
import { changelogSection, commitChangelog } from './changelogs.service.ts'
import { versionPattern } from './versions.ts'

const range = {
  version: Type.String({ pattern: versionPattern, description: 'Version by Semantic Versioning, with or without a v' }),
  from: Type.Optional(
    Type.String({ description: 'Commit before the first one; the tag of the last release before the version by default' }),
  ),
  to: Type.Optional(Type.String({ description: 'Last commit; the tip of the branch by default' })),
  date: Type.Optional(Instant),
  trailer: Type.String({ default: 'Changelog', pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,99}$', description: 'Name of the trailer' }),
  config_file: Type.String({ default: '.gitlab/changelog_config.yml', description: 'File with date_format, template and categories' }),
  config_file_ref: Type.Optional(Type.String({ description: 'Commit with that file; the tip of the default branch by default' })),
}

const address = '/projects/:id/repository/changelog' as const

export const changelogs = [
  endpoint(`GET ${address}`, {
    summary: 'Get the changelog of a version from the trailers of commits',
    access: project('code'),
    query: range,
    reply: resource('Changelog', { notes: Type.String() }),
    handle: async ({ app, repo, user, project, access, query }) => ({
      notes: await changelogSection(app, { repo, project, access, user }, query),
    }),
  }),
  endpoint(`POST ${address}`, {
    summary: 'Commit the changelog of a version to a file of the repository',
    access: pushable(),
    body: {
      ...range,
      branch: Type.Optional(Type.String({ description: 'Branch to commit to; the default branch by default' })),
      file: Type.String({ default: 'CHANGELOG.md' }),
      message: Type.Optional(text(1024 * 1024)),
    },
    status: 200,
    reply: none,
    fails: ['unprocessable'],
    async handle({ app, repo, user, actor, project, access, body: { branch, file, message, ...range } }) {
      const place = { repo, project, access, user }
      const section = await changelogSection(app, place, range, branch)
      await commitChangelog(app, actor, place, section, { version: range.version, branch, file, message })
      return null
    },
  }),
]
