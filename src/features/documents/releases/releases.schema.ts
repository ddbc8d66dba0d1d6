/** Releases and the links among their assets, as today's public documentation of this API describes them. */
import { type Static, Type } from 'typebox'
import { Instant, nullable, oneOf, oneOfDefault, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { Milestone } from '../../planning/milestones/milestones.schema.ts'
import { Commit } from '../../repository/commits/commits.schema.ts'

const text = Type.String()
const linkTypes = ['other', 'runbook', 'image', 'package'] as const

export const ReleaseLink = resource('ReleaseLink', {
  id: Type.Integer(),
  name: text,
  url: text,
  direct_asset_url: Type.String({ description: 'Permanent address below that of the release; the URL itself without a direct_asset_path' }),
  link_type: oneOf(...linkTypes),
})

const Source = resource('ReleaseSource', { format: text, url: text })

export const ReleaseMilestone = resource('ReleaseMilestone', {
  ...Milestone.properties,
  issue_stats: Type.Object(
    { total: Type.Integer(), closed: Type.Integer() },
    { description: 'How many of its issues the caller can see, and how many of these are closed' },
  ),
})

const ReleaseEvidence = Type.Object({
  sha: Type.String({ description: 'The SHA-256 of the file' }),
  filepath: Type.String({ description: 'Address of the file, for who sees the issues of the project' }),
  collected_at: Instant,
})

/** Commits, tags and sources are left out for callers who may not read the code. */
export const Release = resource('Release', {
  tag_name: Type.Optional(text),
  name: text,
  description: nullable(text),
  description_html: Type.Optional(nullable(Type.String({ description: 'Null where the description is too long to render' }))),
  created_at: Instant,
  released_at: Instant,
  upcoming_release: Type.Boolean(),
  author: Type.Optional(UserBrief),
  commit: Type.Optional(nullable(Commit)),
  milestones: Type.Array(ReleaseMilestone, { description: 'Those that the caller can see' }),
  commit_path: Type.Optional(nullable(text)),
  tag_path: Type.Optional(text),
  assets: Type.Object({ count: Type.Integer(), sources: Type.Optional(Type.Array(Source)), links: Type.Array(ReleaseLink) }),
  evidences: Type.Optional(Type.Array(ReleaseEvidence, { description: 'The oldest first' })),
  _links: Type.Object({ self: Type.Optional(text) }),
})

const name = Type.String({ description: 'Unique within the release' })
const url = Type.String({ description: 'http, https or ftp; unique within the release' })
const paths = {
  direct_asset_path: Type.Optional(Type.String({ description: 'Path of its permanent address: /bin/linux-amd64' })),
  filepath: Type.Optional(Type.String({ description: 'The older name of direct_asset_path' })),
}

export const newLink = { name, url, ...paths, link_type: oneOfDefault(...linkTypes) }
export const NewLink = Type.Object(newLink)
export type NewLink = Static<typeof NewLink>

export const linkChange = { name: Type.Optional(name), url: Type.Optional(url), ...paths, link_type: Type.Optional(oneOf(...linkTypes)) }
export type LinkChange = Static<ReturnType<typeof Type.Object<typeof linkChange>>>

/** Maximum per release. */
export const maxLinks = 200

/** Maximum per release. */
export const maxMilestones = 100

const changeable = {
  name: Type.Optional(Type.String({ description: 'The name of the tag by default' })),
  description: Type.Optional(Type.String({ description: 'Markdown' })),
  released_at: Type.Optional(Instant),
  milestones: Type.Optional(
    Type.Array(text, {
      maxItems: maxMilestones,
      description: 'Titles of milestones of the project or of groups above it; none to take all from the release',
    }),
  ),
}

export const newRelease = {
  ...changeable,
  tag_name: text,
  tag_message: Type.Optional(Type.String({ description: 'Message of the tag, if it is created: it is an annotated one then' })),
  ref: Type.Optional(Type.String({ description: 'Branch, tag or commit from which the tag is created if there is none' })),
  assets: Type.Optional(Type.Object({ links: Type.Optional(Type.Array(NewLink, { maxItems: maxLinks })) })),
}
export type NewRelease = Static<ReturnType<typeof Type.Object<typeof newRelease>>>
export const releaseChange = changeable
export type ReleaseChange = Static<ReturnType<typeof Type.Object<typeof changeable>>>
