module carry/components/kube-controller-manager/1.37

go 1.26.0

tool (
	k8s.io/kubernetes/cmd/kube-apiserver
	k8s.io/kubernetes/cmd/kube-controller-manager
)

require k8s.io/kubernetes v1.37.2

require (
	k8s.io/client-go v0.0.0 // indirect
	k8s.io/component-base v0.0.0 // indirect
)

replace (
	k8s.io/client-go => k8s.io/client-go v0.37.2
	k8s.io/component-base => k8s.io/component-base v0.37.2
)
