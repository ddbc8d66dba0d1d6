/** German: feeds and calendars. */
export const feeds = {
  'Activity of {0}': 'Aktivität von {0}',
  'Activity of {0}’s projects': 'Aktivität der Projekte von {0}',
  '{0} Calendar': '{0} Kalender',
  '{0} Feed': '{0} Feed',
  '{0} {1} in {2}': '{0} {1} in {2}',
  '{0}: commits of {1}': '{0}: Commits von {1}',
}
