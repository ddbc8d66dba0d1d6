/** The payloads of pushes, releases and wiki pages. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { CommitPart, FullRepositoryPart, maybeText, ProjectPart, shape, UserPart } from './parts.schema.ts'

const text = Type.String()
const number = Type.Integer()
const paths = Type.Array(text)
const RefChange = shape({ ref: text, before: text, after: text })

const pusher = { user_id: number, user_name: text, user_username: text, user_email: text, user_avatar: maybeText }

export const PushPayload = shape({
  object_kind: oneOf('push', 'tag_push'),
  event_name: oneOf('push', 'tag_push'),
  ...RefChange.properties,
  checkout_sha: maybeText,
  message: maybeText,
  ...pusher,
  project_id: number,
  project: ProjectPart,
  commits: Type.Array(shape({ ...CommitPart.properties, added: paths, modified: paths, removed: paths })),
  total_commits_count: number,
  repository: FullRepositoryPart,
})

export const RepositoryUpdatePayload = shape({
  event_name: oneOf('repository_update'),
  ...pusher,
  project_id: number,
  project: ProjectPart,
  changes: Type.Array(RefChange),
  refs: paths,
})

export const ReleasePayload = shape({
  object_kind: oneOf('release'),
  id: number,
  action: oneOf('create', 'update', 'delete'),
  name: text,
  description: text,
  tag: text,
  created_at: Instant,
  released_at: Instant,
  url: text,
  project: ProjectPart,
  assets: shape({
    count: number,
    links: Type.Array(shape({ id: number, name: text, url: text, direct_asset_url: text, link_type: text })),
    sources: Type.Array(shape({ format: text, url: text })),
  }),
  commit: nullable(CommitPart),
})

export const WikiPagePayload = shape({
  object_kind: oneOf('wiki_page'),
  user: UserPart,
  project: ProjectPart,
  wiki: shape({ web_url: text, git_ssh_url: text, git_http_url: text, path_with_namespace: text, default_branch: text }),
  object_attributes: shape({
    title: text,
    content: text,
    format: text,
    message: text,
    slug: text,
    version_id: text,
    url: text,
    diff_url: Type.Null(),
    action: oneOf('create', 'update', 'delete'),
  }),
})
