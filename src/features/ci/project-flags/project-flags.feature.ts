/** Endpoints of the feature flags of projects, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { flags } from './flags.endpoints.ts'
import { unleash } from './unleash.endpoints.ts'
import { userLists } from './user-lists.endpoints.ts'

export const projectFlagsFeature = feature({ endpoints: section('Feature flags of projects', flags, userLists, unleash) })
