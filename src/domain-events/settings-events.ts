/** Events of the settings of the instance. */

export interface SettingsChanged {
  type: 'settings_changed'
  /** The settings in the request, changed or not. */
  names: string[]
  /** The settings whose value has changed. */
  changed: string[]
}
