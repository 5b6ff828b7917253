// @ts-check

/**
 * @typedef {object} Operation
 * @property {readonly string[]} parameters
 * @property {number} [maxDays] of a window
 */

/** Operations of the API by path, which the server writes into the page. @type {Readonly<Record<string, Operation>>} */
export const operations = JSON.parse(document.getElementById('explorer')?.dataset.operations ?? '')
