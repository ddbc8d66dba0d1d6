/** Endpoints of hooks, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { hooks } from './hooks.endpoints.ts'
import { namedValues } from './named-values.endpoints.ts'

export const hooksFeature = feature({ endpoints: section('Webhooks', [...hooks, ...namedValues]) })
