/** Replies to slash commands: texts and attachments in the format of Slack and Mattermost. */
import { type Static, Type } from 'typebox'
import { oneOf, resource } from '../../../http/parameters/schema.ts'

const Attachment = Type.Object({
  fallback: Type.String(),
  color: Type.String(),
  title: Type.Optional(Type.String()),
  title_link: Type.Optional(Type.String()),
  author_name: Type.Optional(Type.String()),
  author_icon: Type.Optional(Type.String()),
  pretext: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  fields: Type.Optional(Type.Array(Type.Object({ title: Type.String(), value: Type.String(), short: Type.Boolean() }))),
  mrkdwn_in: Type.Array(Type.String()),
})

export const SlashCommandAnswer = resource('SlashCommandAnswer', {
  response_type: oneOf('ephemeral', 'in_channel'),
  status: Type.Integer(),
  text: Type.Optional(Type.String()),
  attachments: Type.Optional(Type.Array(Attachment)),
})

export type Answer = Static<typeof SlashCommandAnswer>
export type Attachment = Static<typeof Attachment>
