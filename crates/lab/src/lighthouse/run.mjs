// One run of Lighthouse in a Chromium of its own: node run.mjs SETTINGS URL.
//
// SETTINGS is JSON: the folders of the npm packages, of the profile and of the result, the Chromium program and its
// switches, the strategy and the locale, and whether the rendered page is wanted. The result is written to one file.
//
// Chromium is started here and not by Lighthouse's own launcher, for three reasons. It stays in the process group of this
// program, which is killed as a whole. It is driven over a pair of pipes, so no port is open that a page or another user
// could find. And there is no second way to start it, without the proxy, when the first one has died.

import {spawn} from 'node:child_process';
import {renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const settings = JSON.parse(process.argv[2]);
const url = process.argv[3];

const lighthouseFile = path => import(pathToFileURL(join(settings.lighthouse, path)).href);
const {default: lighthouse, Audit, Gatherer} = await lighthouseFile('core/index.js');
const required = createRequire(join(settings.lighthouse, 'package.json'));
const {default: puppeteer} = await import(pathToFileURL(required.resolve('puppeteer-core')).href);

/** Messages of the DevTools protocol on a pair of pipes: each is JSON that ends with a NUL. */
class PipeTransport {
  constructor(to, from) {
    this.to = to;
    let pieces = [];
    from.on('data', data => {
      let start = 0;
      for (let end; (end = data.indexOf(0, start)) !== -1; start = end + 1) {
        pieces.push(data.subarray(start, end));
        const message = Buffer.concat(pieces).toString();
        pieces = [];
        setImmediate(() => this.onmessage?.(message));
      }
      pieces.push(data.subarray(start));
    });
    from.on('close', () => this.onclose?.());
    // A write to a browser that has ended: its pipe's end is what counts.
    to.on('error', () => {});
  }

  send(message) {
    this.to.write(message + '\0');
  }

  close() {
    this.to.end();
  }
}

/** The page as the document tree has it once the page has loaded, as HTML. */
class RenderedPage extends Gatherer {
  meta = {supportedModes: ['navigation', 'snapshot']};

  async getArtifact(context) {
    const read = most => {
      const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\n' : '';
      const html = type + (document.documentElement?.outerHTML ?? '');
      return {html: html.length > most ? null : html, characters: html.length};
    };
    return context.driver.executionContext.evaluate(read, {args: [settings.renderedCharacters], useIsolation: true});
  }
}

/** Carries the rendered page into the result. It has no score. */
class RenderedPageAudit extends Audit {
  static get meta() {
    return {
      id: 'rendered-page',
      title: 'The rendered page',
      description: 'The HTML of the document after scripts have run.',
      scoreDisplayMode: Audit.SCORING_MODES.INFORMATIVE,
      supportedModes: ['navigation', 'snapshot'],
      requiredArtifacts: ['RenderedPage'],
    };
  }

  static audit(artifacts) {
    return {score: 1, details: {type: 'debugdata', ...artifacts.RenderedPage}};
  }
}

async function configuration() {
  const desktop = settings.strategy === 'desktop';
  const base = (await lighthouseFile(`core/config/${desktop ? 'desktop' : 'default'}-config.js`)).default;
  const config = {
    extends: 'lighthouse:default',
    settings: {
      ...(desktop ? base.settings : {}),
      onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
      disableFullPageScreenshot: true,
      maxWaitForLoad: settings.maxWaitForLoad,
      locale: settings.locale,
    },
  };
  if (settings.renderedCharacters > 0) {
    config.artifacts = [{id: 'RenderedPage', gatherer: {instance: new RenderedPage()}}];
    config.audits = [{implementation: RenderedPageAudit}];
    config.settings.onlyAudits = ['rendered-page'];
  }
  return config;
}

/** Exit status where the browser could not be started: nothing that the page did. */
const NO_BROWSER = 3;

const chromium = spawn(settings.chromium, settings.switches, {stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe']});
let complaint = '';
chromium.stderr.on('data', data => {
  complaint = (complaint + data).slice(-4096);
});
const ended = new Promise((_, reject) => {
  chromium.on('error', reject);
  chromium.on('exit', (code, signal) => {
    reject(new Error(`Chromium ended early (${signal ?? code}): ${complaint.trimEnd().split('\n').at(-1)}`));
  });
});

async function openTab() {
  const transport = new PipeTransport(chromium.stdio[3], chromium.stdio[4]);
  const browser = await puppeteer.connect({transport, defaultViewport: null});
  return browser.newPage();
}

async function measured(page) {
  const flags = {logLevel: 'silent', output: 'json'};
  try {
    const run = lighthouse(url, flags, await configuration(), page);
    return (await Promise.race([run, ended])).lhr;
  } catch (error) {
    process.stderr.write(`${error?.message ?? error}\n`);
    return {runtimeError: {code: error?.code ?? 'TARGET_CRASHED', message: ''}};
  }
}

let page;
try {
  page = await Promise.race([openTab(), ended]);
} catch (error) {
  // A browser that ends says why after its pipe has closed.
  const moment = new Promise(done => setTimeout(done, 1000, error));
  const reason = await Promise.race([ended, moment]).catch(early => early);
  process.stderr.write(`${reason?.message ?? reason}\n`);
  process.exit(NO_BROWSER);
}
const result = await measured(page);
// Renamed when it is whole, so that what is found is a result.
writeFileSync(`${settings.result}.part`, JSON.stringify(result));
renameSync(`${settings.result}.part`, settings.result);
process.exit(result.runtimeError ? 1 : 0);
