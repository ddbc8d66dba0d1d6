/** Endpoints of feature flags, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { features } from './feature-flags.endpoints.ts'

export const featureFlagsFeature = feature({ endpoints: section('Feature flags', features) })
