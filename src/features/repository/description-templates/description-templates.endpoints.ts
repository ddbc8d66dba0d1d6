/** Templates of a project: for descriptions, and those that every project has (newer than the API of the reference). */
import { Type } from 'typebox'
import { mayUse } from '../../../access/features.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { notFound } from '../../../failure.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { only, project } from '../../../http/declare/rules.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import {
  ciFiles,
  dockerfiles,
  gitignores,
  License,
  licenseFor,
  licenses,
  namesInLicense,
  TemplateText,
} from '../../instance/templates/templates.ts'
import { type Described, descriptionTemplates, textOfTemplate } from './description-templates.service.ts'

const TemplateKey = resource('ProjectTemplateName', { key: Type.String(), name: Type.String() })
const DescriptionTemplate = resource('DescriptionTemplate', { name: Type.String(), content: Type.String() })

/** For users who see what the templates are for, and may read the files. */
const readers = {
  issues: only(project('code'), {
    description: 'those for whom its issues are enabled',
    holds: (granted) => mayUse('issues', granted),
    refusal: () => notFound(),
  }),
  merge_requests: only(project('code'), {
    description: 'those for whom its merge requests are enabled',
    holds: ({ user, ...access }) => canSeeMergeRequests(access, user),
    refusal: () => notFound(),
  }),
}

function templatesOf(kind: Described): Endpoint[] {
  const words = kind.replace('_', ' ')
  return [
    listEndpoint(`GET /projects/:id/templates/${kind}`, {
      summary: `List the description templates of ${words}`,
      access: readers[kind],
      item: TemplateKey,
      async handle({ repo, project, page }) {
        const { rows, total } = slice(await descriptionTemplates(repo, project.default_branch, kind), page)
        return { rows: rows.map(({ name }) => ({ key: name, name })), total }
      },
    }),
    endpoint(`GET /projects/:id/templates/${kind}/:template`, {
      summary: `Get a description template of ${words}`,
      access: readers[kind],
      reply: DescriptionTemplate,
      async handle({ repo, project, params }) {
        const found = (await descriptionTemplates(repo, project.default_branch, kind)).find(({ name }) => name === params.template)
        const content = found ? await textOfTemplate(repo, found) : null
        if (content === null) throw notFound('Template')
        return { name: params.template, content }
      },
    }),
  ]
}

const licenseTemplates = [
  listEndpoint('GET /projects/:id/templates/licenses', {
    summary: 'List the license templates that a project may start with',
    access: project('visible'),
    item: TemplateKey,
    handle: ({ page }) =>
      slice(
        licenses.map(({ key, name }) => ({ key, name })),
        page,
      ),
  }),
  endpoint('GET /projects/:id/templates/licenses/:license', {
    summary: 'Get a license template for a project, with year and names filled in',
    access: project('visible'),
    query: namesInLicense,
    reply: License,
    handle: ({ user, project, params, query }) => licenseFor(user, params.license, { ...query, project: query.project ?? project.name }),
  }),
]

/** Templates that come with the server, so every project has the same. */
function fileTemplates(kind: 'gitignore' | 'gitlab_ci_yml' | 'dockerfile', what: string, files: Record<string, string>): Endpoint[] {
  const names = Object.keys(files).sort()
  return [
    listEndpoint(`GET /projects/:id/templates/${kind}s`, {
      summary: `List the ${what} templates that a project may start with`,
      access: project('visible'),
      item: TemplateKey,
      handle: ({ page }) =>
        slice(
          names.map((name) => ({ key: name, name })),
          page,
        ),
    }),
    endpoint(`GET /projects/:id/templates/${kind}s/:${kind}`, {
      summary: `Get a ${what} template for a project`,
      access: project('visible'),
      reply: TemplateText,
      handle({ params }) {
        const name = params[kind]
        if (!Object.hasOwn(files, name)) throw notFound('Template')
        return { name, content: files[name] as string }
      },
    }),
  ]
}

export const templatesOfProjects: Endpoint[] = [
  ...templatesOf('issues'),
  ...templatesOf('merge_requests'),
  ...licenseTemplates,
  ...fileTemplates('gitignore', '.gitignore', gitignores),
  ...fileTemplates('gitlab_ci_yml', 'CI configuration', ciFiles),
  ...fileTemplates('dockerfile', 'Dockerfile', dockerfiles),
]
