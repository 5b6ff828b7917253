/** Modules of the explorer by name. A program that `build.js` made has them in it instead. */
export async function explorerModules(): Promise<Readonly<Record<string, string>>> {
  const { bundleExplorer } = await import('../explorer-bundle.js')
  return bundleExplorer()
}
