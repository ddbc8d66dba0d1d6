/**
 * Types of columns. Instants are ISO 8601 text in UTC with milliseconds, dates `YYYY-MM-DD`, on both engines: they sort as they
 * read and go to the API as they are.
 */

export type Visibility = 'private' | 'internal' | 'public'
export type Instant = string
export type Day = string
/** For whom a feature of a project is: nobody, its members, or everybody who can see the project. */
export type FeatureLevel = 'disabled' | 'private' | 'enabled'
