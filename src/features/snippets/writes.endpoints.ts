/** Creating, changing and deleting personal and project snippets (spec 4.21). */
import { Type } from 'typebox'
import type { Visibility } from '../../db/tables.ts'
import { badParameter } from '../../failure.ts'
import { endpoint } from '../../http/declare/endpoint.ts'
import { none, nullable, oneOf, oneOfDefault } from '../../http/parameters/schema.ts'
import { changeableInProject, changeableSnippet, creatingInProject, creatingSnippets } from './snippets.access.ts'
import { presentOne } from './snippets.present.ts'
import type { Content } from './snippets.queries.ts'
import { Snippet } from './snippets.schema.ts'
import { changeSnippet, createSnippet, removeSnippet, type SnippetChange } from './snippets.service.ts'

/** The longest contents as JSON, in which a byte may take six. */
const maxBody_bytes = 7 * 1024 ** 2

const visibility = oneOf('private', 'internal', 'public')
const content = Type.String({ description: 'Up to 1 MB' })
const oneFile = {
  file_name: Type.Optional(Type.String({ description: 'Path of its one file' })),
  content: Type.Optional(content),
}
const newFile = Type.Object({ file_path: Type.String(), content })
const fileAction = Type.Object({
  action: oneOf('create', 'update', 'delete', 'move'),
  file_path: Type.Optional(Type.String()),
  previous_path: Type.Optional(Type.String({ description: 'Of a file that gets another path' })),
  content: Type.Optional(content),
})
const code = Type.Optional(Type.String({ description: 'An older name of `content`' }))

const created = {
  title: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  ...oneFile,
  files: Type.Optional(Type.Array(newFile, { description: 'In place of `file_name` and `content`: up to 10 files' })),
}
const changed = {
  title: Type.Optional(nullable(Type.String())),
  description: Type.Optional(nullable(Type.String())),
  visibility: Type.Optional(visibility),
  ...oneFile,
  files: Type.Optional(Type.Array(fileAction, { description: 'In place of `file_name` and `content`' })),
}
const atLeastOne = ['title', 'description', 'file_name', 'content', 'visibility', 'files'] as const

export const snippetWrites = [
  endpoint('POST /snippets', {
    summary: 'Create a snippet',
    access: creatingSnippets(),
    body: { ...created, visibility: oneOfDefault<Visibility>('internal', 'private', 'public') },
    maxBody_bytes,
    reply: Snippet,
    async handle({ app, user, body, ip, user_agent }) {
      return presentOne(app, await createSnippet(app, user, null, { ...body, files: filesOfNew(body) }, { ip, user_agent }))
    },
  }),
  endpoint('PUT /snippets/:id', {
    summary: 'Update a snippet',
    access: changeableSnippet(),
    body: changed,
    atLeastOne,
    maxBody_bytes,
    reply: Snippet,
    handle: async ({ app, user, snippet, body }) => presentOne(app, await changeSnippet(app, user, snippet, accepted(body))),
  }),
  endpoint('DELETE /snippets/:id', {
    summary: 'Delete a snippet',
    access: changeableSnippet(),
    reply: none,
    lastChanged: ({ snippet }) => snippet.updated_at,
    async handle({ app, snippet }) {
      await removeSnippet(app, snippet)
      return null
    },
  }),
  endpoint('POST /projects/:id/snippets', {
    summary: 'Create a snippet in a project',
    access: creatingInProject(),
    body: { ...created, visibility, code },
    maxBody_bytes,
    reply: Snippet,
    async handle({ app, user, project, body: { code, ...body }, ip, user_agent }) {
      const files = filesOfNew({ ...body, content: body.content ?? code })
      return presentOne(app, await createSnippet(app, user, project, { ...body, files }, { ip, user_agent }))
    },
  }),
  endpoint('PUT /projects/:id/snippets/:snippet_id', {
    summary: 'Update a snippet of a project',
    access: changeableInProject(),
    body: { ...changed, code },
    atLeastOne: [...atLeastOne, 'code'],
    maxBody_bytes,
    reply: Snippet,
    async handle({ app, user, snippet, body: { code, ...body } }) {
      return presentOne(app, await changeSnippet(app, user, snippet, accepted({ ...body, content: body.content ?? code })))
    },
  }),
  endpoint('DELETE /projects/:id/snippets/:snippet_id', {
    summary: 'Delete a snippet of a project',
    access: changeableInProject(),
    reply: none,
    lastChanged: ({ snippet }) => snippet.updated_at,
    async handle({ app, snippet }) {
      await removeSnippet(app, snippet)
      return null
    },
  }),
]

interface SentFiles {
  file_name?: string | undefined
  content?: string | undefined
  files?: Array<{ file_path: string; content: string }> | undefined
}

/** Throws 400 if files are sent in neither of the two forms, or in both. */
function filesOfNew({ file_name, content, files }: SentFiles): Content[] {
  if (files) {
    assertOneForm({ file_name, content })
    return files.map(({ file_path, content }) => ({ path: file_path, content }))
  }
  if (content === undefined && file_name === undefined)
    throw badParameter('content, files are missing, exactly one parameter must be provided')
  if (content === undefined) throw badParameter('content is missing')
  if (file_name === undefined) throw badParameter('file_name is missing')
  return [{ path: file_name, content }]
}

/** An empty title is an error; it is not ignored. */
function accepted({ title, ...change }: Omit<SnippetChange, 'title'> & { title?: string | null | undefined }): SnippetChange {
  if (change.files) assertOneForm(change)
  return { ...change, title: title === null ? '' : title }
}

function assertOneForm({ file_name, content }: Pick<SentFiles, 'file_name' | 'content'>): void {
  if (content !== undefined) throw badParameter('files, content are mutually exclusive')
  if (file_name !== undefined) throw badParameter('files, file_name are mutually exclusive')
}
