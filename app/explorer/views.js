import { browserChanges, crashes, issues, networkErrors } from './panels/groups.js'
import { pci } from './panels/pci.js'
import { firstRanking, histogram, newest, secondRanking, total } from './panels/reports.js'
import { pages, policies, scripts } from './panels/site.js'

/** Views by name, in the order of the navigation; `site`: one site at a time. */
export const views = {
  reports: { label: 'Reports', panels: [total, histogram, firstRanking, secondRanking, newest] },
  issues: { label: 'Issues', panels: [issues] },
  network: { label: 'Network errors', panels: [networkErrors] },
  crashes: { label: 'Crashes', panels: [crashes] },
  changes: { label: 'Browser changes', panels: [browserChanges] },
  policies: { label: 'Policies', panels: [policies], site: true },
  scripts: { label: 'Scripts', panels: [scripts], site: true },
  pages: { label: 'Pages', panels: [pages], site: true },
  pci: { label: 'PCI DSS', panels: [pci], site: true },
}
