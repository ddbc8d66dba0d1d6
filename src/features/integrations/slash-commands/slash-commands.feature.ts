/** The endpoint of slash commands, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { slashCommands } from './slash-commands.endpoints.ts'

export const slashCommandsFeature = feature({ endpoints: section('Integrations', slashCommands) })
