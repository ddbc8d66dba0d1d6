/** Generic packages: upload, list, download, delete. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { Package, PackageFile } from '../../../db/tables.ts'
import { badParameter, missing, notFound } from '../../../failure.ts'
import { apiRoot, endpoint, listEndpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { group, type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Message, none, oneOf, oneOfDefault, text } from '../../../http/parameters/schema.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { fileNamed, listFiles, listPackages, listPackagesOfGroup, packageById } from './packages.queries.ts'
import { GroupPackage, PackageFileResource, PackageResource } from './packages.schema.ts'
import { removePackage, removePackageFile, storePackageFile } from './packages.service.ts'

const inPath = nested({ package_id: Id }, async ({ project }: ProjectGranted, { package_id }, app: App) => {
  const found = await packageById(app.db, project.id, package_id)
  if (!found) throw missing()
  return { found }
})

const generic = 'projects/:id/packages/generic/:package_name/:package_version/:file_name' as const

const filters = {
  package_name: Type.Optional(text(255)),
  package_version: Type.Optional(text(255)),
  package_type: Type.Optional(oneOf('generic')),
  order_by: oneOfDefault('created_at', 'name', 'version', 'type'),
  sort: oneOfDefault('asc', 'desc'),
}

export const packages = [
  endpoint(`PUT /${generic}`, {
    summary: 'Upload a file of a generic package',
    access: unarchived(project('publish_packages')),
    jobTokens: true,
    bytes: { description: 'The file' },
    query: {
      status: Type.Optional(oneOf('default', 'hidden')),
      select: Type.Optional(oneOf('package_file')),
    },
    reply: Type.Union([Message, PackageFileResource]),
    status: 201,
    async handle({ app, project, user, params, query, content }) {
      const named = namesOf(params)
      const { file } = await storePackageFile(
        app,
        { project_id: project.id, user },
        { ...named, status: query.status ?? 'default' },
        await content(),
      )
      return query.select === 'package_file' ? presentFile(file) : { message: '201 Created' }
    },
  }),
  streamEndpoint(`GET /${generic}`, {
    summary: 'Download a file of a generic package',
    access: project('code'),
    jobTokens: true,
    async handle({ app, project, params }) {
      const file = await fileNamed(app.db, project.id, namesOf(params))
      if (!file) throw notFound('Package')
      return {
        etag: `"package-${file.id}"`,
        size: file.size,
        describe: () => ({ type: 'application/octet-stream', 'content-disposition': disposition('attachment', file.file_name) }),
        open: (part) => app.store.open(file.store_key, part),
      }
    },
  }),
  listEndpoint('GET /projects/:id/packages', {
    summary: 'List the packages of a project',
    access: project('code'),
    jobTokens: true,
    query: filters,
    item: PackageResource,
    async handle({ app, project, query, page }) {
      const { rows, total } = await listPackages(app.db, project.id, query, page)
      return { rows: rows.map((row) => presentPackage(project.full_path, row)), total }
    },
  }),
  listEndpoint('GET /groups/:id/packages', {
    summary: 'List the packages of the projects in a group',
    access: group('visible'),
    query: {
      ...filters,
      exclude_subgroups: Type.Boolean({ default: false, description: 'Only packages of projects that are in the group itself' }),
    },
    item: GroupPackage,
    async handle({ app, user, group, query: { exclude_subgroups, ...filter }, page }) {
      const scope = { group_id: group.id, isAlone: exclude_subgroups, viewer: user }
      const { rows, total } = await listPackagesOfGroup(app.db, scope, filter, page)
      const present = (row: (typeof rows)[number]) => ({
        ...presentPackage(row.project_path, row),
        project_id: row.project_id,
        project_path: row.project_path,
      })
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('GET /projects/:id/packages/:package_id', {
    summary: 'Get a package',
    access: within(project('code'), inPath),
    jobTokens: true,
    reply: PackageResource,
    handle: ({ project, found }) => presentPackage(project.full_path, found),
  }),
  listEndpoint('GET /projects/:id/packages/:package_id/package_files', {
    summary: 'List the files of a package',
    access: within(project('code'), inPath),
    jobTokens: true,
    item: PackageFileResource,
    async handle({ app, found, page }) {
      const { rows, total } = await listFiles(app.db, found.id, page)
      return { rows: rows.map(presentFile), total }
    },
  }),
  endpoint('DELETE /projects/:id/packages/:package_id', {
    summary: 'Delete a package',
    access: within(project('delete_packages'), inPath),
    jobTokens: true,
    reply: none,
    lastChanged: ({ found }) => found.created_at,
    async handle({ app, found }) {
      await removePackage(app, found)
      return null
    },
  }),
  endpoint('DELETE /projects/:id/packages/:package_id/package_files/:package_file_id', {
    summary: 'Delete a file of a package',
    access: within(project('delete_packages'), inPath),
    jobTokens: true,
    params: { package_file_id: Id },
    reply: none,
    async handle({ app, found, params }) {
      await removePackageFile(app, found, params.package_file_id)
      return null
    },
  }),
]

/** Characters of names, in the pattern that clients of the reference know. */
function namesOf({ package_name: name, package_version: version, file_name }: Record<string, string>) {
  if (!name || !/^[\w.+~@-]{1,255}$/.test(name)) throw badParameter('package_name is invalid')
  if (!version || !/^[\w.+~@-]{1,255}$/.test(version) || /^\.+$/.test(version)) throw badParameter('package_version is invalid')
  if (!file_name || !/^(?!\.{1,2}$)[\w.+~@ ()-]{1,255}$/.test(file_name)) throw badParameter('file_name is invalid')
  return { name, version, file_name }
}

function presentPackage(full_path: string, { id, project_id, name, version, kind, status, created_at }: Package) {
  return {
    id,
    name,
    version,
    package_type: kind,
    status,
    _links: { web_path: `/${full_path}/-/packages/${id}`, delete_api_path: `${apiRoot}/projects/${project_id}/packages/${id}` },
    created_at,
    tags: [],
  }
}

function presentFile({ id, package_id, created_at, file_name, size, sha256 }: PackageFile) {
  return { id, package_id, created_at, file_name, size, file_sha256: sha256 }
}
