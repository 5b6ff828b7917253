/** Modules of the explorer by name. Programs built by `build.js` contain them. */
export async function explorerModules(): Promise<Readonly<Record<string, string>>> {
  const { bundleExplorer } = await import('../explorer-bundle.js')
  return bundleExplorer()
}
