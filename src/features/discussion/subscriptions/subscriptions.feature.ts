/** Endpoints of subscriptions, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { subscriptions } from './subscriptions.endpoints.ts'

export const subscriptionsFeature = feature({ endpoints: section('Issues', subscriptions) })
