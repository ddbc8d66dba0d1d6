/** Projects imported from an archive, and the progress of the import. */
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels, visibilities } from '../../../access/levels.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { only, project, signedIn } from '../../../http/declare/rules.ts'
import { LargeFile, Off, oneOf, text } from '../../../http/parameters/schema.ts'
import { withoutUndefined } from '../../../validation.ts'
import { flags, maxArchive_bytes } from '../archive/archive.ts'
import { presentIdentity } from '../project-identity.ts'
import { importsAllowed } from './archive-imports.access.ts'
import { ImportStatus } from './archive-imports.schema.ts'
import { startArchiveImport } from './archive-imports.service.ts'

const flag = Type.Optional(Type.Boolean())

/** Settings that override the archive's. */
const overrides = Type.Object({
  description: Type.Optional(text(2_000)),
  visibility: Type.Optional(oneOf(...visibilities)),
  default_branch: Type.Optional(text(255)),
  merge_method: Type.Optional(oneOf('merge', 'rebase_merge', 'ff')),
  ci_config_path: Type.Optional(text(255)),
  tag_list: Type.Optional(Type.Array(text(255), { maxItems: 100 })),
  public_builds: Type.Optional(Type.Boolean({ description: 'Alias of public_jobs' })),
  ...(Object.fromEntries(flags.map((name) => [name, flag])) as Record<(typeof flags)[number], typeof flag>),
})

export const archiveImports = [
  endpoint('POST /projects/import', {
    summary: 'Import a project from an archive',
    operationId: 'importProject',
    access: only(signedIn(), importsAllowed),
    body: {
      file: LargeFile,
      path: Type.String(),
      namespace: Type.Optional(Type.String({ description: 'Id or path; the personal namespace of the current user by default' })),
      overwrite: Off,
      override_params: Type.Optional(overrides),
    },
    maxFile_bytes: async () => maxArchive_bytes,
    reply: ImportStatus,
    async handle({ app, user, body: { override_params: { public_builds, ...chosen } = {}, ...request } }) {
      const overrides = withoutUndefined({ ...chosen, public_jobs: chosen.public_jobs ?? public_builds })
      const made = await startArchiveImport(app, user, { ...request, overrides })
      return presentImport(app, made, accessLevels.maintainer)
    },
  }),
  endpoint('GET /projects/:id/import', {
    summary: 'Get the import status of a project',
    access: only(project('visible'), importsAllowed),
    reply: ImportStatus,
    handle: ({ app, project, level }) => presentImport(app, project, level),
  }),
]

/** Only users who can fix the import see the reason of its failure: it may name hosts, and content of the archive. */
async function presentImport(app: App, project: LocatedProject, level: number) {
  const { import_status, import_error } = project
  return {
    ...(await presentIdentity(app, project)),
    import_status,
    ...(import_error !== null && may('edit_project', level) && { import_error }),
  }
}
