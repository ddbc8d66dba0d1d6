/** Endpoints of the appearance, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { appearance } from './appearance.endpoints.ts'

export const appearanceFeature = feature({ endpoints: section('Settings', appearance) })
