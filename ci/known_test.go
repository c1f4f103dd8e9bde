package ci

// workflow is what is known of a workflow of openshift/release. A phase that a test gives stands in for the whole phase
// of the workflow, so it has to name the workflow's own steps again.
type workflow struct {
	profiles     []string
	capabilities []string
	pre, test    []step
	post         []step
	source       string // file below ci-operator/step-registry, and the commit it was read at
}

// workflows are those of openshift/release that tests here may name. Profiles and capabilities are those that the
// nightly 5.0 periodics and the 5.2 presubmits of openshift/kubernetes and cluster-version-operator give.
var workflows = map[string]workflow{
	"baremetalds-e2e-ovn-ipv6": {
		profiles:     []string{"equinix-ocp-metal"},
		capabilities: []string{"intranet"},
		pre:          []step{{Chain: "baremetalds-ofcir-pre"}},
		test:         []step{{Chain: "baremetalds-ipi-test"}},
		post:         []step{{Chain: "baremetalds-ofcir-post"}},
		source:       "baremetalds/e2e/ovn/ipv6 e2221d9d",
	},
	"baremetalds-e2e-ovn-dualstack": {
		profiles:     []string{"equinix-ocp-metal"},
		capabilities: []string{"intranet"},
		pre:          []step{{Chain: "baremetalds-ofcir-pre"}},
		test:         []step{{Chain: "baremetalds-ipi-test"}},
		post:         []step{{Chain: "baremetalds-ofcir-post"}},
		source:       "baremetalds/e2e/ovn/dualstack 9c00acea",
	},
	"agent-e2e-sno-ipv6": {
		profiles:     []string{"equinix-ocp-metal"},
		capabilities: []string{"intranet"},
		pre:          []step{{Chain: "agent-pre"}},
		test:         []step{{Chain: "agent-test"}},
		post:         []step{{Chain: "agent-post"}},
		source:       "agent/e2e/sno/ipv6 aa0e5804",
	},
	"openshift-e2e-aws": {
		profiles: []string{"openshift-org-aws"},
		pre:      []step{{Chain: "ipi-aws-pre"}},
		test:     []step{{Ref: "wait"}, {Ref: "openshift-e2e-test"}},
		post:     []step{{Chain: "gather-core-dump"}, {Chain: "ipi-aws-post"}},
		source:   "openshift/e2e/aws 0877887b",
	},
}

// observers are those of openshift/release that tests here may enable.
var observers = []string{"observers-resource-watch"}

// pipelineImages are there without being built by `images`.
var pipelineImages = []string{"root", "src", "bin", "test-bin"}
