// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of FMI 3.0. Their names get a prefix if FMI3_FUNCTION_PREFIX is defined, for linking several FMUs into
// one program: -DFMI3_FUNCTION_PREFIX=NAME_ . Without it they are as a shared library has to export them.
#include "fmi3Functions.h"

#include "fmu_derive.h"
#include "fmu_step.h"

#define INSTANCE fmu_instance *i = (fmu_instance *)instance
#define CHECK(function, modes)                                                                     \
    INSTANCE;                                                                                      \
    if (!i || !fmu_allows(i, function, modes)) {                                                   \
        return fmi3Error;                                                                          \
    }

static void send_message(fmu_instance *i, int status, const char *category, const char *message)
{
    fmi3LogMessageCallback callback;
    memcpy(&callback, &i->log_callback, sizeof callback);
    callback(i->environment, (fmi3Status)status, category, message);
}

FMI3_Export const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMI3_Export fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn,
                                           size_t nCategories, const fmi3String categories[])
{
    INSTANCE;
    if (!i) {
        return fmi3Error;
    }
    i->is_logging = loggingOn;
    return fmi3OK;
}

// ---- instances ---------------------------------------------------------------------------------

static fmu_instance *instantiate(fmi3String name, fmi3String token, fmi3Boolean is_logging,
                                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    fmu_instance *i = fmu_create(name, NULL, NULL);
    if (!i) {
        return NULL;
    }
    i->is_logging = is_logging;
    i->environment = environment;
    if (log) {
        memcpy(&i->log_callback, &log, sizeof log);
        i->log = send_message;
    }
    if (!fmu_is_token(token)) {
        (void)fmu_say(i, FMU_ERROR, "the instantiation token is not that of this FMU");
        fmu_destroy(i);
        return NULL;
    }
    return i;
}

FMI3_Export fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName,
                                                      fmi3String instantiationToken,
                                                      fmi3String resourcePath, fmi3Boolean visible,
                                                      fmi3Boolean loggingOn,
                                                      fmi3InstanceEnvironment instanceEnvironment,
                                                      fmi3LogMessageCallback logMessage)
{
    fmu_instance *i =
        instantiate(instanceName, instantiationToken, loggingOn, instanceEnvironment, logMessage);
    if (i) {
        i->is_exchange = 1;
    }
    return i;
}

FMI3_Export fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate)
{
    fmu_instance *i =
        instantiate(instanceName, instantiationToken, loggingOn, instanceEnvironment, logMessage);
    if (i && nRequiredIntermediateVariables > 0) {
        (void)fmu_say(i, FMU_ERROR, "there are no intermediate updates");
        fmu_destroy(i);
        i = NULL;
    }
    if (i) {
        i->uses_events = eventModeUsed;
        i->returns_early = earlyReturnAllowed;
    }
    return i;
}

FMI3_Export fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
    fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption)
{
    fmu_instance *i =
        instantiate(instanceName, instantiationToken, loggingOn, instanceEnvironment, logMessage);
    if (i) {
        (void)fmu_refuse(i, "fmi3InstantiateScheduledExecution");
        fmu_destroy(i);
    }
    return NULL;
}

FMI3_Export void fmi3FreeInstance(fmi3Instance instance)
{
    fmu_destroy((fmu_instance *)instance);
}

// ---- modes -------------------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                                   fmi3Boolean toleranceDefined,
                                                   fmi3Float64 tolerance, fmi3Float64 startTime,
                                                   fmi3Boolean stopTimeDefined,
                                                   fmi3Float64 stopTime)
{
    CHECK("fmi3EnterInitializationMode", FMU_INSTANTIATED)
    return (fmi3Status)fmu_set_up(i, toleranceDefined, tolerance, startTime, stopTimeDefined,
                                  stopTime, FMU_INITIALIZING);
}

FMI3_Export fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    int status;
    CHECK("fmi3ExitInitializationMode", FMU_INITIALIZING)
    status = fmu_begin(i);
    i->now.mode = i->is_exchange || i->uses_events ? FMU_EVENT : FMU_STEPPING;
    return (fmi3Status)status;
}

FMI3_Export fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    CHECK("fmi3EnterEventMode", FMU_CONTINUOUS | FMU_STEPPING)
    if (!i->is_exchange && !i->uses_events) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3EnterEventMode: event mode is not used");
    }
    i->now.mode = FMU_EVENT;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3Terminate(fmi3Instance instance)
{
    CHECK("fmi3Terminate", FMU_RUNNING)
    i->now.mode = FMU_TERMINATED;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3Reset(fmi3Instance instance)
{
    CHECK("fmi3Reset", FMU_ANY)
    fmu_reset(i);
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    CHECK("fmi3EnterConfigurationMode", FMU_ANY)
    return (fmi3Status)fmu_refuse(i, "fmi3EnterConfigurationMode");
}

FMI3_Export fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    CHECK("fmi3ExitConfigurationMode", FMU_ANY)
    return (fmi3Status)fmu_refuse(i, "fmi3ExitConfigurationMode");
}

// ---- variables ---------------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3GetFloat64(fmi3Instance instance,
                                      const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, fmi3Float64 values[], size_t nValues)
{
    CHECK("fmi3GetFloat64", FMU_ANY)
    if (nValues != nValueReferences) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3GetFloat64: all variables are scalars");
    }
    return (fmi3Status)fmu_get(i, valueReferences, nValueReferences, values);
}

FMI3_Export fmi3Status fmi3SetFloat64(fmi3Instance instance,
                                      const fmi3ValueReference valueReferences[],
                                      size_t nValueReferences, const fmi3Float64 values[],
                                      size_t nValues)
{
    CHECK("fmi3SetFloat64", FMU_BEFORE_RUN | FMU_RUNNING)
    if (nValues != nValueReferences) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3SetFloat64: all variables are scalars");
    }
    return (fmi3Status)fmu_set(i, valueReferences, nValueReferences, values);
}

// Functions about variables of which there are none: right for none of them, an error for more.
#define NONE_OF(function, ...)                                                                     \
    FMI3_Export fmi3Status function(fmi3Instance instance,                                         \
                                    const fmi3ValueReference valueReferences[],                    \
                                    size_t nValueReferences, __VA_ARGS__)                          \
    {                                                                                              \
        CHECK(#function, FMU_ANY)                                                                  \
        return nValueReferences == 0 ? fmi3OK : (fmi3Status)fmu_refuse(i, #function);              \
    }

// all variables are numbers of double precision
NONE_OF(fmi3GetFloat32, fmi3Float32 values[], size_t nValues)
NONE_OF(fmi3SetFloat32, const fmi3Float32 values[], size_t nValues)
NONE_OF(fmi3GetInt8, fmi3Int8 values[], size_t nValues)
NONE_OF(fmi3SetInt8, const fmi3Int8 values[], size_t nValues)
NONE_OF(fmi3GetUInt8, fmi3UInt8 values[], size_t nValues)
NONE_OF(fmi3SetUInt8, const fmi3UInt8 values[], size_t nValues)
NONE_OF(fmi3GetInt16, fmi3Int16 values[], size_t nValues)
NONE_OF(fmi3SetInt16, const fmi3Int16 values[], size_t nValues)
NONE_OF(fmi3GetUInt16, fmi3UInt16 values[], size_t nValues)
NONE_OF(fmi3SetUInt16, const fmi3UInt16 values[], size_t nValues)
NONE_OF(fmi3GetInt32, fmi3Int32 values[], size_t nValues)
NONE_OF(fmi3SetInt32, const fmi3Int32 values[], size_t nValues)
NONE_OF(fmi3GetUInt32, fmi3UInt32 values[], size_t nValues)
NONE_OF(fmi3SetUInt32, const fmi3UInt32 values[], size_t nValues)
NONE_OF(fmi3GetInt64, fmi3Int64 values[], size_t nValues)
NONE_OF(fmi3SetInt64, const fmi3Int64 values[], size_t nValues)
NONE_OF(fmi3GetUInt64, fmi3UInt64 values[], size_t nValues)
NONE_OF(fmi3SetUInt64, const fmi3UInt64 values[], size_t nValues)
NONE_OF(fmi3GetBoolean, fmi3Boolean values[], size_t nValues)
NONE_OF(fmi3SetBoolean, const fmi3Boolean values[], size_t nValues)
NONE_OF(fmi3GetString, fmi3String values[], size_t nValues)
NONE_OF(fmi3SetString, const fmi3String values[], size_t nValues)
NONE_OF(fmi3GetBinary, size_t valueSizes[], fmi3Binary values[], size_t nValues)
NONE_OF(fmi3SetBinary, const size_t valueSizes[], const fmi3Binary values[], size_t nValues)

NONE_OF(fmi3GetClock, fmi3Clock values[])
NONE_OF(fmi3SetClock, const fmi3Clock values[])
NONE_OF(fmi3GetIntervalDecimal, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
NONE_OF(fmi3GetIntervalFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
        fmi3IntervalQualifier qualifiers[])
NONE_OF(fmi3GetShiftDecimal, fmi3Float64 shifts[])
NONE_OF(fmi3GetShiftFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
NONE_OF(fmi3SetIntervalDecimal, const fmi3Float64 intervals[])
NONE_OF(fmi3SetIntervalFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
NONE_OF(fmi3SetShiftDecimal, const fmi3Float64 shifts[])
NONE_OF(fmi3SetShiftFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])

FMI3_Export fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                                           fmi3ValueReference valueReference,
                                                           size_t *nDependencies)
{
    CHECK("fmi3GetNumberOfVariableDependencies", FMU_ANY)
    return (fmi3Status)fmu_refuse(i, "fmi3GetNumberOfVariableDependencies");
}

FMI3_Export fmi3Status fmi3GetVariableDependencies(
    fmi3Instance instance, fmi3ValueReference dependent, size_t elementIndicesOfDependent[],
    fmi3ValueReference independents[], size_t elementIndicesOfIndependents[],
    fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    CHECK("fmi3GetVariableDependencies", FMU_ANY)
    return (fmi3Status)fmu_refuse(i, "fmi3GetVariableDependencies");
}

// ---- state -------------------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    CHECK("fmi3GetFMUState", FMU_ANY)
    return (fmi3Status)fmu_save(i, FMUState);
}

FMI3_Export fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState)
{
    CHECK("fmi3SetFMUState", FMU_ANY)
    return (fmi3Status)fmu_restore(i, FMUState);
}

FMI3_Export fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *FMUState)
{
    CHECK("fmi3FreeFMUState", FMU_ANY)
    return (fmi3Status)fmu_free_state(i, FMUState);
}

FMI3_Export fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState,
                                                  size_t *size)
{
    CHECK("fmi3SerializedFMUStateSize", FMU_ANY)
    *size = FMU_STATE_SIZE;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState,
                                             fmi3Byte serializedState[], size_t size)
{
    CHECK("fmi3SerializeFMUState", FMU_ANY)
    return (fmi3Status)fmu_serialize(i, FMUState, serializedState, size);
}

FMI3_Export fmi3Status fmi3DeserializeFMUState(fmi3Instance instance,
                                               const fmi3Byte serializedState[], size_t size,
                                               fmi3FMUState *FMUState)
{
    CHECK("fmi3DeserializeFMUState", FMU_ANY)
    return (fmi3Status)fmu_deserialize(i, serializedState, size, FMUState);
}

// ---- derivatives -------------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
    fmi3Float64 sensitivity[], size_t nSensitivity)
{
    CHECK("fmi3GetDirectionalDerivative", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    if (nSeed != nKnowns || nSensitivity != nUnknowns) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3GetDirectionalDerivative: wrong lengths");
    }
    return (fmi3Status)fmu_get_slopes(i, 0, unknowns, nUnknowns, knowns, nKnowns, seed,
                                      sensitivity);
}

FMI3_Export fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance,
                                                const fmi3ValueReference unknowns[],
                                                size_t nUnknowns, const fmi3ValueReference knowns[],
                                                size_t nKnowns, const fmi3Float64 seed[],
                                                size_t nSeed, fmi3Float64 sensitivity[],
                                                size_t nSensitivity)
{
    CHECK("fmi3GetAdjointDerivative", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    if (nSeed != nUnknowns || nSensitivity != nKnowns) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3GetAdjointDerivative: wrong lengths");
    }
    return (fmi3Status)fmu_get_slopes(i, 1, unknowns, nUnknowns, knowns, nKnowns, seed,
                                      sensitivity);
}

// ---- events ------------------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    CHECK("fmi3EvaluateDiscreteStates", FMU_INITIALIZING | FMU_EVENT)
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3UpdateDiscreteStates(
    fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate, fmi3Boolean *terminateSimulation,
    fmi3Boolean *nominalsOfContinuousStatesChanged, fmi3Boolean *valuesOfContinuousStatesChanged,
    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime)
{
    fmu_news news;
    int status;
    CHECK("fmi3UpdateDiscreteStates", FMU_EVENT)
    status = fmu_handle_event(i, &news);
    *discreteStatesNeedUpdate = fmi3False;
    *terminateSimulation = news.ends != 0;
    *nominalsOfContinuousStatesChanged = fmi3False;
    *valuesOfContinuousStatesChanged = news.states_changed != 0;
    *nextEventTimeDefined = news.has_next != 0;
    *nextEventTime = news.has_next ? news.next : 0.0;
    return (fmi3Status)status;
}

// ---- model exchange ----------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    CHECK("fmi3EnterContinuousTimeMode", FMU_EVENT)
    if (!i->is_exchange) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3EnterContinuousTimeMode: not for this kind");
    }
    i->now.mode = FMU_CONTINUOUS;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                                   fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                                   fmi3Boolean *enterEventMode,
                                                   fmi3Boolean *terminateSimulation)
{
    CHECK("fmi3CompletedIntegratorStep", FMU_CONTINUOUS)
    *enterEventMode = fmu_has_drifted(i) != 0;
    *terminateSimulation = fmi3False;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    CHECK("fmi3SetTime", FMU_CONTINUOUS | FMU_EVENT)
    return (fmi3Status)fmu_set_time(i, time);
}

FMI3_Export fmi3Status fmi3SetContinuousStates(fmi3Instance instance,
                                               const fmi3Float64 continuousStates[],
                                               size_t nContinuousStates)
{
    CHECK("fmi3SetContinuousStates", FMU_CONTINUOUS | FMU_EVENT)
    return (fmi3Status)fmu_set_states(i, continuousStates, nContinuousStates);
}

FMI3_Export fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance,
                                                         fmi3Float64 derivatives[],
                                                         size_t nContinuousStates)
{
    CHECK("fmi3GetContinuousStateDerivatives", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi3Status)fmu_get_rates(i, derivatives, nContinuousStates);
}

FMI3_Export fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 eventIndicators[],
                                              size_t nEventIndicators)
{
    CHECK("fmi3GetEventIndicators", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi3Status)fmu_get_events(i, eventIndicators, nEventIndicators);
}

FMI3_Export fmi3Status fmi3GetContinuousStates(fmi3Instance instance,
                                               fmi3Float64 continuousStates[],
                                               size_t nContinuousStates)
{
    CHECK("fmi3GetContinuousStates", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi3Status)fmu_copy_out(i, i->now.x, FMU_STATES, continuousStates, nContinuousStates);
}

FMI3_Export fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance,
                                                         fmi3Float64 nominals[],
                                                         size_t nContinuousStates)
{
    CHECK("fmi3GetNominalsOfContinuousStates", FMU_ANY)
    return (fmi3Status)fmu_get_nominals(i, nominals, nContinuousStates);
}

FMI3_Export fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance,
                                                      size_t *nEventIndicators)
{
    CHECK("fmi3GetNumberOfEventIndicators", FMU_ANY)
    *nEventIndicators = FMU_INDICATORS;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance,
                                                       size_t *nContinuousStates)
{
    CHECK("fmi3GetNumberOfContinuousStates", FMU_ANY)
    *nContinuousStates = FMU_STATES;
    return fmi3OK;
}

// ---- co-simulation -----------------------------------------------------------------------------

FMI3_Export fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    CHECK("fmi3EnterStepMode", FMU_EVENT)
    if (i->is_exchange) {
        return (fmi3Status)fmu_say(i, FMU_ERROR, "fmi3EnterStepMode: not for this kind");
    }
    i->now.mode = FMU_STEPPING;
    return fmi3OK;
}

NONE_OF(fmi3GetOutputDerivatives, const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues)

FMI3_Export fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                                  fmi3Float64 communicationStepSize,
                                  fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                  fmi3Boolean *eventHandlingNeeded,
                                  fmi3Boolean *terminateSimulation, fmi3Boolean *earlyReturn,
                                  fmi3Float64 *lastSuccessfulTime)
{
    fmu_news news;
    int stopped, status;
    CHECK("fmi3DoStep", FMU_STEPPING)
    status = fmu_do_step(i, currentCommunicationPoint, communicationStepSize, &news, &stopped);
    *eventHandlingNeeded = stopped != 0;
    *terminateSimulation = news.ends != 0;
    *lastSuccessfulTime = i->now.time;
    *earlyReturn =
        status <= FMU_WARNING && i->now.time < currentCommunicationPoint + communicationStepSize;
    return (fmi3Status)status;
}

// ---- scheduled execution -----------------------------------------------------------------------

FMI3_Export fmi3Status fmi3ActivateModelPartition(fmi3Instance instance,
                                                  fmi3ValueReference clockReference,
                                                  fmi3Float64 activationTime)
{
    CHECK("fmi3ActivateModelPartition", FMU_ANY)
    return (fmi3Status)fmu_refuse(i, "fmi3ActivateModelPartition");
}
