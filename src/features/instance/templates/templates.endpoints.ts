/** Templates of files to start a project with: licenses, .gitignore, CI and Dockerfiles. */
import { type Static, Type } from 'typebox'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { nullable, resource } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { ciFiles } from './ci-files.ts'
import { dockerfiles } from './dockerfiles.ts'
import { gitignores } from './gitignores.ts'
import { fillIn, type License as LicenseText, licenses } from './licenses.ts'

const texts = Type.Array(Type.String())

export const License = resource('LicenseTemplate', {
  key: Type.String(),
  name: Type.String(),
  nickname: nullable(Type.String()),
  popular: Type.Boolean(),
  html_url: Type.String(),
  source_url: Type.String(),
  description: Type.String(),
  conditions: texts,
  permissions: texts,
  limitations: texts,
  content: Type.String(),
})

export const TemplateText = resource('Template', { name: Type.String(), content: Type.String() })

const optional = (description: string) => Type.Optional(Type.String({ description }))

/** Names that are filled into licenses, besides the year. */
export const namesInLicense = {
  project: optional('Name of the project, for licenses that contain it'),
  fullname: optional('Copyright holder; the name of the current user by default'),
}

const licenseTemplates = [
  listEndpoint('GET /templates/licenses', {
    summary: 'List license templates',
    access: anyone(),
    query: { popular: Type.Optional(Type.Boolean({ description: 'Only popular licenses, or only the others' })) },
    item: License,
    handle({ query: { popular }, page }) {
      const { rows, total } = slice(
        licenses.filter((license) => popular === undefined || license.popular === popular),
        page,
      )
      return { rows: rows.map(presentLicense), total }
    },
  }),
  endpoint('GET /templates/licenses/:license', {
    summary: 'Get a license template, with year and names filled in',
    access: anyone(),
    query: namesInLicense,
    reply: License,
    handle: ({ user, params, query }) => licenseFor(user, params.license, query),
  }),
]

/** Throws 404 if there is no such license. */
export function licenseFor(user: User | null, wanted: string, named: { project?: string; fullname?: string }): Static<typeof License> {
  const license = licenses.find(({ key }) => key === wanted)
  if (!license) throw notFound('License')
  const names = { year: String(new Date().getFullYear()), project: named.project, fullname: named.fullname || user?.name }
  return presentLicense({ ...license, content: fillIn(license.content, names) })
}

function presentLicense(license: LicenseText): Static<typeof License> {
  return { ...license }
}

/** The list of names, and each template. */
function fileTemplates(kind: 'gitignore' | 'gitlab_ci_yml' | 'dockerfile', what: string, files: Record<string, string>): Endpoint[] {
  const names = Object.keys(files)
    .sort()
    .map((name) => ({ name }))
  return [
    listEndpoint(`GET /templates/${kind}s`, {
      summary: `List ${what} templates`,
      access: anyone(),
      item: resource('TemplateName', { name: Type.String() }),
      handle: ({ page }) => slice(names, page),
    }),
    endpoint(`GET /templates/${kind}s/:${kind}`, {
      summary: `Get a ${what} template`,
      access: anyone(),
      reply: TemplateText,
      handle({ params }) {
        const name = params[kind]
        if (!Object.hasOwn(files, name)) throw notFound(kind)
        return { name, content: files[name] as string }
      },
    }),
  ]
}

export const templates: Endpoint[] = [
  ...licenseTemplates,
  ...fileTemplates('gitignore', '.gitignore', gitignores),
  ...fileTemplates('gitlab_ci_yml', 'CI configuration', ciFiles),
  ...fileTemplates('dockerfile', 'Dockerfile', dockerfiles),
]
